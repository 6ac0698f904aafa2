// Fills every register that a program has (general, x87 or MMX, vector, flags, rounding, the segment base of gs),
// computes for a while without touching them, and finds each of them as it was, in two threads.
#include "../burn.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
struct Registers {
    uint64_t general[13];  // rax … r15 without rcx (counts), rsp and rdi (points here)
    uint64_t multimedia[8];
    uint8_t vectors[16][16] __attribute__((aligned(16)));
    uint32_t rounding, pad;
};
// Loads `registers`, counts down, and stores what there is then over it.
void hold_all(struct Registers* registers, uint64_t rounds);
#define EACH_GENERAL(op)                                                                                        \
    op(0, rax) op(1, rbx) op(2, rdx) op(3, rsi) op(4, rbp) op(5, r8) op(6, r9) op(7, r10) op(8, r11) op(9, r12) \
        op(10, r13) op(11, r14) op(12, r15)
#define EACH_8(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define LOAD(n, name) "movq " #n "*8(%rdi), %" #name "\n"
#define STORE(n, name) "movq %" #name ", " #n "*8(%rdi)\n"
#define LOAD_MM(n) "movq 104+" #n "*8(%rdi), %mm" #n "\n"
#define STORE_MM(n) "movq %mm" #n ", 104+" #n "*8(%rdi)\n"
#define VECTORS(op) \
    op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)
#define LOAD_V(n) "movups 176+" #n "*16(%rdi), %xmm" #n "\n"
#define STORE_V(n) "movups %xmm" #n ", 176+" #n "*16(%rdi)\n"
__asm__(".text\n.type hold_all, @function\nhold_all:\n.cfi_startproc\n"
        "pushq %rbx\n.cfi_adjust_cfa_offset 8\npushq %rbp\n.cfi_adjust_cfa_offset 8\n"
        "pushq %r12\n.cfi_adjust_cfa_offset 8\npushq %r13\n.cfi_adjust_cfa_offset 8\n"
        "pushq %r14\n.cfi_adjust_cfa_offset 8\npushq %r15\n.cfi_adjust_cfa_offset 8\n"
        "pushq $0x1f80\n.cfi_adjust_cfa_offset 8\n"
        "movq %rsi, %rcx\n"
        "ldmxcsr 432(%rdi)\n" VECTORS(LOAD_V) EACH_8(LOAD_MM) EACH_GENERAL(LOAD)
        "1: leaq -1(%rcx), %rcx\njrcxz 2f\njmp 1b\n2:\n" EACH_GENERAL(STORE) EACH_8(STORE_MM) VECTORS(STORE_V)
        "stmxcsr 432(%rdi)\nemms\nldmxcsr (%rsp)\n"
        "popq %rax\n.cfi_adjust_cfa_offset -8\n"
        "popq %r15\n.cfi_adjust_cfa_offset -8\npopq %r14\n.cfi_adjust_cfa_offset -8\n"
        "popq %r13\n.cfi_adjust_cfa_offset -8\npopq %r12\n.cfi_adjust_cfa_offset -8\n"
        "popq %rbp\n.cfi_adjust_cfa_offset -8\npopq %rbx\n.cfi_adjust_cfa_offset -8\n"
        "ret\n.cfi_endproc\n.size hold_all, .-hold_all\n");

static void* hold(void* seed) {
    uint64_t own = 0x1122334455667788, base = 0;
    MUST(syscall(SYS_arch_prctl, 0x1001, &own) == 0);  // ARCH_SET_GS
    for (int round = 0; round < 40; ++round) {
        struct Registers before, after;
        memset(&before, 0, sizeof before);
        for (size_t i = 0; i < offsetof(struct Registers, rounding); ++i) {
            ((uint8_t*)&before)[i] = (uint8_t)(i * 7 + (size_t)round + (size_t)(uintptr_t)seed);
        }
        before.rounding = 0x1f80U | (uint32_t)(round % 4) << 13U | 0x8040U;  // with denormals taken for zero
        after = before;
        hold_all(&after, 1500000);
        MUST(memcmp(&before, &after, sizeof before) == 0);
        uint64_t seen = 0;
        __asm__ volatile("movq %%gs:0, %0" : "=r"(seen));
        MUST(seen == own && syscall(SYS_arch_prctl, 0x1004, &base) == 0 && base == (uint64_t)(uintptr_t)&own);
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, hold, (void*)3) == 0);
    hold((void*)100);
    MUST(pthread_join(thread, NULL) == 0);
    puts("every register was kept");
    return 0;
}
#else
int main(void) {
    burn(100);
    puts("not written for this processor");
    return 0;
}
#endif
