// Threads of the program's own, preempted by a timer's signal: the handler leaves the interrupted stack by
// swapcontext and comes back to it later.
#include "../burn.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

enum { kFibers = 4, kRounds = 4000000 };
static ucontext_t contexts[kFibers], main_context;
static char stacks[kFibers][262144];
static volatile int current, left = kFibers;
static int ended[kFibers];
static uint64_t results[kFibers];

static void to_next(void) {
    const int from = current;
    int next = from;
    do {
        next = (next + 1) % kFibers;
    } while (ended[next] && left > 0);
    if (left == 0) {
        setcontext(&main_context);
    }
    if (next != from) {
        current = next;
        swapcontext(&contexts[from], &contexts[next]);
    }
}

static void on_timer(int number) {
    (void)number;
    to_next();
}

static void mask_timer(int how) {
    sigset_t timer;
    sigemptyset(&timer);
    sigaddset(&timer, SIGALRM);
    MUST(sigprocmask(how, &timer, NULL) == 0);
}

static void run(int number) {
    mask_timer(SIG_UNBLOCK);
    uint64_t x = (uint64_t)number;
    for (int i = 0; i < kRounds; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        __asm__ volatile("" : "+r"(x));
    }
    mask_timer(SIG_BLOCK);
    results[number] = x;
    ended[number] = 1;
    left = left - 1;
    to_next();
}

int main(void) {
    const struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    MUST(sigaction(SIGALRM, &action, NULL) == 0);
    // swapcontext sets the new mask before it leaves the old stack: a context that lets the signal in from its first
    // instruction may be interrupted there, and then be saved as if it lay on the stack that it was to leave.
    mask_timer(SIG_BLOCK);
    for (int i = 0; i < kFibers; ++i) {
        MUST(getcontext(&contexts[i]) == 0);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = sizeof stacks[i];
        makecontext(&contexts[i], (void (*)(void))run, 1, i);
    }
    MUST(setitimer(ITIMER_REAL, &often, NULL) == 0);
    MUST(swapcontext(&main_context, &contexts[0]) == 0);
    MUST(setitimer(ITIMER_REAL, &never, NULL) == 0);
    for (int i = 0; i < kFibers; ++i) {
        printf("%llx\n", (unsigned long long)results[i]);
    }
    return 0;
}
