// A sandbox that allows every call that measuring takes (docs/monitor.md), and kills for any other: it must go on
// being measured, with its first sample, its file, a thread and an image to come, and no call of the monitor's that
// the filter was not asked about.
#include "../burn.h"
#include "seccomp.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>

static const int kAllowed[] = {
    // The monitor's (src/monitor/interpose/seccomp.cpp).
    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_read, SYS_pread64, SYS_close,
    SYS_openat, SYS_write, SYS_readlinkat, SYS_newfstatat, SYS_fcntl, SYS_ioctl, SYS_perf_event_open, SYS_fallocate,
    SYS_ftruncate, SYS_flock, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_prlimit64, SYS_getrusage,
    SYS_clock_gettime, SYS_getcpu, SYS_gettid, SYS_getpid, SYS_getppid, SYS_sched_yield, SYS_futex,
    SYS_process_vm_readv, SYS_timer_create, SYS_timer_settime, SYS_timer_delete, SYS_prctl,
    // What threads, dlopen() and the end take besides.
    SYS_exit, SYS_exit_group, SYS_clone3, SYS_rt_sigaction, SYS_mprotect, SYS_set_robust_list, SYS_rseq, SYS_brk,
    SYS_getrandom};

static void* compute(void* unused) {
    burn(40);
    return unused;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int late = 0; late < 2; ++late) {
        const pid_t child = fork();
        MUST(child >= 0);
        if (child == 0) {
            pthread_t thread;
            struct filter filter;
            struct sock_fprog* program = make_filter(&filter, kAllowed, (int)(sizeof kAllowed / sizeof *kAllowed),
                                                     SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
            burn(30 * late);
            MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
            MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) == 0);
            burn(60);
            MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
            MUST(pthread_join(thread, NULL) == 0);
            void* library = dlopen("libgcc_s.so.1", RTLD_NOW);
            MUST(library != NULL);
            burn(30);
            exit(0);
        }
        int status = 0;
        MUST(waitpid(child, &status, 0) == child);
        printf("%s: %s %d\n", late ? "late" : "at once", WIFEXITED(status) ? "ended with" : "killed by",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    return 0;
}
