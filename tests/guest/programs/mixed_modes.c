// 32-bit code in a 64-bit program, by a far call, as Wine runs old Windows programs: its stack and code lie in the
// first 4 GiB, the processor is in another mode, and samples fall into it.
#include "../burn.h"

#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
// Calls `gate` on the stack that ends at `stack`, with rsi pointing at the far address of `code` (segment 0x23)
// there; returns eax.
uint32_t call_32(uint32_t code, uint32_t stack, uint32_t argument, uint32_t gate);
__asm__(
    "        .text\n"
    "        .type call_32, @function\n"
    "call_32:\n"
    "        .cfi_startproc\n"
    "        pushq %rbp\n"
    "        .cfi_adjust_cfa_offset 8\n"
    "        .cfi_offset %rbp, -16\n"
    "        pushq %rbx\n"
    "        .cfi_adjust_cfa_offset 8\n"
    "        .cfi_offset %rbx, -24\n"
    "        movq %rsp, %rbp\n"
    "        .cfi_def_cfa_register %rbp\n"
    "        movl %esi, %esi\n"
    "        movq %rbp, -8(%rsi)\n"
    "        movl %edi, -16(%rsi)\n"
    "        movl $0x23, -12(%rsi)\n"
    "        leaq -64(%rsi), %rsp\n"
    "        subq $16, %rsi\n"
    "        movl %ecx, %eax\n"
    "        movl %edx, %ecx\n"
    "        call *%rax\n"
    "        movq 56(%rsp), %rsp\n"
    "        popq %rbx\n"
    "        popq %rbp\n"
    "        .cfi_def_cfa %rsp, 8\n"
    "        ret\n"
    "        .cfi_endproc\n"
    "        .size call_32, .-call_32\n");

// push %ebp; mov %esp, %ebp; xor %eax, %eax; 1: inc %eax (one byte, which no 64-bit code has); loop by dec %ecx
static const unsigned char kGate[] = {0xff, 0x1e, 0xc3};  // lcall *(%rsi); ret
static const unsigned char kCode[] = {0x55, 0x89, 0xe5, 0x31, 0xc0, 0x40, 0x49, 0x75, 0xfc, 0x5d, 0xcb};

int main(void) {
    char* low = mmap(NULL, 131072, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    MUST(low != MAP_FAILED);
    memcpy(low, kGate, sizeof kGate);
    memcpy(low + 16, kCode, sizeof kCode);
    const uint32_t gate = (uint32_t)(uintptr_t)low, stack = gate + 131072;
    MUST(mprotect(low, 4096, PROT_READ | PROT_EXEC) == 0);
    unsigned long sum = 0;
    for (int round = 0; round < 50; ++round) {
        sum += call_32(gate + 16, stack, 3000000U + (unsigned)round, gate);
    }
    burn(20);
    printf("%lu\n", sum);
    return 0;
}
#else
int main(void) {
    burn(100);
    puts("only one kind of code here");
    return 0;
}
#endif
