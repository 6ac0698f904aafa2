// System calls that are dispatched to the program (PR_SET_SYSCALL_USER_DISPATCH), as Wine does with those of Windows
// programs: while a byte says so, each call outside of one stretch of code becomes a signal. Nobody's but the
// program's own may come.
#include "../burn.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char selector;  // 0: let through, 1: dispatched
static volatile sig_atomic_t seen, others;

static void on_call(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)context;
    selector = 0;
    if (info->si_syscall == SYS_getppid) {
        seen = seen + 1;
    } else {
        others = others + 1;
    }
}

__attribute__((noinline)) static uint64_t compute(uint64_t x) {
    for (int i = 0; i < 5000000; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

int main(void) {
    const struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
    MUST(sigaction(SIGSYS, &action, NULL) == 0);
    uint64_t sum = 1;
    burn(20);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0) {
        puts("this kernel dispatches no calls");
        return 0;
    }
    for (int round = 0; round < 20; ++round) {
        selector = 1;
        sum = compute(sum);
        syscall(SYS_getppid);  // its handler lets calls through again
        MUST(selector == 0);
        sum = compute(sum);
    }
    MUST(prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0) == 0);
    burn(20);
    printf("%d dispatched, %d others, %llx\n", (int)seen, (int)others, (unsigned long long)sum);
    return 0;
}
