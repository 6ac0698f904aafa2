// Computes nearly only in the kernel's own page of code (clock readings), in main, threads and handlers; the clocks
// never go backwards.
#include "../burn.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t handled;

static void on_timer(int number) {
    (void)number;
    burn_clock(CLOCK_MONOTONIC);
    handled = handled + 1;
}

static void* read_clocks(void* unused) {
    int64_t before = 0, backwards = 0;
    for (int i = 0; i < 700000; ++i) {
        const int64_t now = burn_clock(CLOCK_MONOTONIC);
        backwards += now < before;
        before = now;
        sched_getcpu();
    }
    return backwards == 0 ? unused : NULL;
}

int main(void) {
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    const struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    pthread_t threads[2];
    int right = 0;
    MUST(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < 2; ++i) {
        MUST(pthread_create(&threads[i], NULL, read_clocks, &right) == 0);
    }
    for (int i = 0; i < 2; ++i) {
        void* result = NULL;
        MUST(pthread_join(threads[i], &result) == 0);
        right += result != NULL;
    }
    printf("never backwards: %d, handled: %d\n", right, handled > 0);
    return 0;
}
