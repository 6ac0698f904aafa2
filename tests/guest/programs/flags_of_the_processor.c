// Code that sets the direction flag or the alignment check, as some hand-written code does, and computes on: handlers
// run in between, must not be confused by either, and leave both as they are.
#include "../burn.h"

#if defined(__x86_64__)
// Sets `flags`, counts down, and returns the flags that there are then; the stack is used by nobody meanwhile.
uint64_t spin_with(uint64_t flags, uint64_t rounds);
__asm__(
    "        .text\n"
    "        .type spin_with, @function\n"
    "spin_with:\n"
    "        .cfi_startproc\n"
    "        pushfq\n"
    "        .cfi_adjust_cfa_offset 8\n"
    "        orq %rdi, (%rsp)\n"
    "        popfq\n"
    "        .cfi_adjust_cfa_offset -8\n"
    "1:      leaq -1(%rsi), %rsi\n"
    "        testq %rsi, %rsi\n"
    "        jnz 1b\n"
    "        pushfq\n"
    "        .cfi_adjust_cfa_offset 8\n"
    "        popq %rax\n"
    "        .cfi_adjust_cfa_offset -8\n"
    "        pushq %rax\n"
    "        .cfi_adjust_cfa_offset 8\n"
    "        notq %rdi\n"
    "        andq %rdi, (%rsp)\n"
    "        popfq\n"
    "        .cfi_adjust_cfa_offset -8\n"
    "        ret\n"
    "        .cfi_endproc\n"
    "        .size spin_with, .-spin_with\n");

int main(void) {
    const uint64_t kDirection = 1U << 10U, kAlignment = 1U << 18U;
    const uint64_t sets[3] = {kDirection, kAlignment, kDirection | kAlignment};
    for (int i = 0; i < 3; ++i) {
        int kept = 0;
        for (int round = 0; round < 40; ++round) {
            kept += (spin_with(sets[i], 1000000) & (kDirection | kAlignment)) == sets[i];
        }
        printf("kept %d times\n", kept);
    }
    return 0;
}
#else
int main(void) {
    burn(100);
    puts("no such flags here");
    return 0;
}
#endif
