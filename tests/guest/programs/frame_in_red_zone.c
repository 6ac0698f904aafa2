// Hand-written code that keeps its caller's stack pointer just below its own, where a leaf function may keep what it
// likes (the red zone), and whose call-frame information says so. OpenSSL's sha512 for AVX2 is like that.
#include "../burn.h"

// int spin_below(int count)
__asm__(
    "        .text\n"
    "        .type spin_below, @function\n"
    "spin_below:\n"
    "        .cfi_startproc\n"
    "        movq %rsp, %rax\n"
    "        .cfi_def_cfa_register %rax\n"
    "        subq $256, %rsp\n"
    "        andq $-64, %rsp\n"
    "        movq %rax, (%rsp)\n"
    "        .cfi_escape 0x0f,0x05,0x77,0x00,0x06,0x23,0x08\n"  // CFA = [rsp] + 8
    "        addq $8, %rsp\n"
    "        .cfi_escape 0x0f,0x05,0x77,0x78,0x06,0x23,0x08\n"  // CFA = [rsp - 8] + 8
    "        xorl %eax, %eax\n"
    "1:      addl $1, %eax\n"
    "        decl %edi\n"
    "        jnz 1b\n"
    "        movq -8(%rsp), %rdx\n"
    "        .cfi_def_cfa %rdx, 8\n"
    "        movq %rdx, %rsp\n"
    "        .cfi_def_cfa_register %rsp\n"
    "        ret\n"
    "        .cfi_endproc\n"
    "        .size spin_below, .-spin_below\n");
int spin_below(int count);

__attribute__((noinline)) static int outer(int depth) {
    const int inner = depth == 0 ? spin_below(5000000) : outer(depth - 1);
    __asm__ volatile("");
    return inner + 1;
}

int main(void) {
    long sum = 0;
    for (int round = 0; round < 200; ++round) {
        sum += outer(round % 10);
    }
    printf("%ld\n", sum);
    return 0;
}
