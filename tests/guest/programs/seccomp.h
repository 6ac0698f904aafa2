/* A filter of system calls: those listed, for everything else `otherwise`. */
#ifndef KYMO_TESTS_GUEST_SECCOMP_H
#define KYMO_TESTS_GUEST_SECCOMP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMostCalls = 64 };

struct filter {
    struct sock_filter code[2 * kMostCalls + 2];
    struct sock_fprog program;
};

static inline struct sock_fprog* make_filter(struct filter* filter, const int* calls, int count, unsigned listed,
                                             unsigned otherwise) {
    int used = 0;
    filter->code[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; ++i) {
        filter->code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        filter->code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
    }
    filter->code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
    filter->program = (struct sock_fprog){(unsigned short)used, filter->code};
    return &filter->program;
}

#endif
