// The processor's time stamp counter is forbidden (PR_SET_TSC), as deterministic replay does it: each reading faults,
// also one by the kernel's own page of code. The program's own fault is the only one that it sees.
#include "../burn.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__x86_64__)
static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void on_fault(int number) {
    (void)number;
    faults = faults + 1;
    siglongjmp(back, 1);
}

static void* compute(void* unused) {
    burn(30);
    if (sigsetjmp(back, 1) == 0) {
        __builtin_ia32_rdtsc();
        puts("the thread may read it");
    }
    burn(10);
    return unused;
}

int main(void) {
    pthread_t thread;
    const struct sigaction action = {.sa_handler = on_fault};
    MUST(sigaction(SIGSEGV, &action, NULL) == 0);
    burn(20);
    MUST(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
    burn(60);
    int mode = 0;
    MUST(prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 && mode == PR_TSC_SIGSEGV);
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
    usleep(1000);
    printf("%d faults\n", (int)faults);
    MUST(prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0) == 0);
    burn(20);
    printf("read again: %d\n", __builtin_ia32_rdtsc() != 0);
    return 0;
}
#else
int main(void) {
    burn(100);
    puts("no such counter here");
    return 0;
}
#endif
