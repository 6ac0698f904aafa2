// A sandbox: the program allows itself the calls that it makes, and is killed for any other. Installed by prctl, by
// the seccomp call and for all threads at once; a thread goes on computing, another is made, and a program is started
// that inherits the filter.
#include "../burn.h"
#include "seccomp.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

static const int kAllowed[] = {
    SYS_write,           SYS_exit,   SYS_exit_group,     SYS_rt_sigreturn,    SYS_clock_gettime, SYS_fstat,
    SYS_newfstatat,      SYS_brk,    SYS_rt_sigprocmask, SYS_futex,           SYS_clone,         SYS_clone3,
    SYS_set_robust_list, SYS_rseq,   SYS_mmap,           SYS_mprotect,        SYS_munmap,        SYS_madvise,
    SYS_wait4,           SYS_execve, SYS_arch_prctl,     SYS_set_tid_address, SYS_read,          SYS_pread64,
    SYS_close,           SYS_openat, SYS_access,         SYS_prlimit64,       SYS_getrandom,     SYS_rt_sigaction,
    SYS_lseek,           SYS_ioctl};

static void* compute(void* unused) {
    burn(40);
    return unused;
}

static void confine(int way) {
    struct filter filter;
    struct sock_fprog* program = make_filter(&filter, kAllowed, (int)(sizeof kAllowed / sizeof *kAllowed),
                                             SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (way == 0) {
        MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) == 0);
    } else if (way == 1) {
        MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0);
    } else {
        MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program) == 0);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int way = 0; way < 3; ++way) {
        const pid_t child = fork();
        MUST(child >= 0);
        if (child == 0) {
            pthread_t before, after;
            burn(30);
            MUST(pthread_create(&before, NULL, compute, NULL) == 0);
            burn(10);
            confine(way);
            burn(30);
            MUST(pthread_create(&after, NULL, compute, NULL) == 0);
            MUST(pthread_join(before, NULL) == 0 && pthread_join(after, NULL) == 0);
            char* const arguments[] = {"/bin/echo", "confined", NULL};
            execv(arguments[0], arguments);
            _exit(97);
        }
        int status = 0;
        MUST(waitpid(child, &status, 0) == child);
        printf("way %d: %s %d\n", way, WIFEXITED(status) ? "ended with" : "killed by",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    return 0;
}
