// Restartable sequences: the kernel starts them again when a signal comes; each adds exactly one to a counter.
#include "../burn.h"

#include <linux/rseq.h>
#include <stddef.h>
#include <string.h>
#include <sys/rseq.h>

static long counter;

#if defined(__x86_64__)
static void add_one(struct rseq* area) {
    struct rseq_cs section __attribute__((aligned(32)));
    memset(&section, 0, sizeof section);
    __asm__ volatile(
        "1:\n\t"
        "leaq 3f(%%rip), %%rax\n\t"
        "movq %%rax, 8(%[section])\n\t"
        "leaq 5f(%%rip), %%rax\n\t"
        "leaq 3f(%%rip), %%rdx\n\t"
        "subq %%rdx, %%rax\n\t"
        "movq %%rax, 16(%[section])\n\t"
        "leaq 6f(%%rip), %%rax\n\t"
        "movq %%rax, 24(%[section])\n\t"
        "movq %[section], %[pointer]\n\t"
        "3:\n\t"
        "movq %[counter], %%rax\n\t"
        "addq $1, %%rax\n\t"
        "movl $200, %%edx\n\t"
        "4: subl $1, %%edx\n\t"
        "jnz 4b\n\t"
        "movq %%rax, %[counter]\n\t"
        "5:\n\t"
        "jmp 7f\n\t"
        ".byte 0x0f, 0xb9, 0x3d\n\t"
        ".long 0x53053053\n\t"
        "6:\n\t"
        "jmp 1b\n\t"
        "7:\n\t"
        "movq $0, %[pointer]\n\t"
        : [counter] "+m"(counter), [pointer] "=m"(area->rseq_cs)
        : [section] "r"(&section)
        : "rax", "rdx", "memory", "cc");
}
#endif

int main(void) {
    const long rounds = 1000000;
#if defined(__x86_64__)
    if (__rseq_size != 0) {
        struct rseq* area = (struct rseq*)((char*)__builtin_thread_pointer() + __rseq_offset);
        for (long i = 0; i < rounds; ++i) {
            add_one(area);
        }
    } else {
        counter = rounds;
    }
#else
    counter = rounds;
#endif
    burn(100);
    printf("%d\n", counter == rounds);
    return 0;
}
