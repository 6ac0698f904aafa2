// A filter that answers with an error, as containers have it: what the monitor may not do it does without, and the
// rest is measured.
#include "../burn.h"
#include "seccomp.h"

#include <errno.h>
#include <pthread.h>

static const int kRefused[] = {SYS_perf_event_open, SYS_process_vm_readv, SYS_timer_create, SYS_fallocate,
                               SYS_getrusage};

static void* compute(void* unused) {
    burn(20);
    return unused;
}

int main(void) {
    struct filter filter;
    burn(20);
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
               make_filter(&filter, kRefused, (int)(sizeof kRefused / sizeof *kRefused), SECCOMP_RET_ERRNO | EPERM,
                           SECCOMP_RET_ALLOW)) == 0);
    for (int i = 0; i < 4; ++i) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
        burn(20);
        MUST(pthread_join(thread, NULL) == 0);
    }
    puts("refused");
    return 0;
}
