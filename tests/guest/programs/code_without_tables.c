// Hand-written code without call-frame information, as x264 and FFmpeg have it: it pushes registers, moves the stack
// pointer, keeps its own numbers in rbp and calls code of its own kind. How it leaves tells who called it.
#include "../burn.h"

#include <stdint.h>

// int with_frame(int count): pushes, a stack of its own, a call in the loop.   int realigned(int count): a stack that
// is aligned, and the old one kept in it.
__asm__(
    "        .text\n"
    "        .type with_frame, @function\n"
    "with_frame:\n"
    "        push %rbx\n"
    "        push %rbp\n"
    "        push %r14\n"
    "        sub $528, %rsp\n"
    "        mov %edi, %ebx\n"
    "        xor %ebp, %ebp\n"
    "1:      mov $2000, %r14d\n"
    "2:      add $1, %ebp\n"
    "        mov %rbp, 8(%rsp)\n"
    "        dec %r14d\n"
    "        jnz 2b\n"
    "        mov $1000, %edi\n"
    "        call realigned\n"
    "        add %eax, %ebp\n"
    "        dec %ebx\n"
    "        jnz 1b\n"
    "        mov %ebp, %eax\n"
    "        add $528, %rsp\n"
    "        pop %r14\n"
    "        pop %rbp\n"
    "        pop %rbx\n"
    "        ret\n"
    "        .size with_frame, .-with_frame\n"
    "        .p2align 4\n"
    "        .type realigned, @function\n"
    "realigned:\n"
    "        mov %rsp, %rax\n"
    "        sub $400, %rsp\n"
    "        and $-64, %rsp\n"
    "        mov %rax, 256(%rsp)\n"
    "        xor %eax, %eax\n"
    "1:      add $3, %eax\n"
    "        dec %edi\n"
    "        jnz 1b\n"
    "        mov 256(%rsp), %rsp\n"
    "        ret\n"
    "        .size realigned, .-realigned\n");
int with_frame(int count);
int realigned(int count);

typedef int (*Kernel)(int);
static volatile Kernel kernels[] = {with_frame, realigned};

__attribute__((noinline)) static int64_t descend(int depth, int which) {
    const int64_t inner = depth == 0 ? kernels[which](which == 0 ? 500 : 1500000) : descend(depth - 1, which);
    __asm__ volatile("");
    return inner + 1;
}

int main(void) {
    int64_t sum = 0;
    for (int round = 0; round < 400; ++round) {
        sum += descend(round % 12, round % 2);
    }
    printf("%lld\n", (long long)sum);
    return 0;
}
