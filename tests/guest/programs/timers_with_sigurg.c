// The program's own timers send SIGURG: of processor time and of wall time, with values of its own.
#include "../burn.h"

#include <signal.h>

static volatile sig_atomic_t counts[2], wrong;
static int values[2];

static void on_signal(int number, siginfo_t* info, void* context) {
    (void)context;
    const int* value = info->si_value.sival_ptr;
    if (number != SIGURG || info->si_code != SI_TIMER || value < values || value > values + 1) {
        ++wrong;
        return;
    }
    counts[value - values] = counts[value - values] + 1 + info->si_overrun;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    MUST(sigaction(SIGURG, &action, NULL) == 0);
    const clockid_t clocks[2] = {CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC};
    timer_t timers[2];
    for (int i = 0; i < 2; ++i) {
        struct sigevent event = {
            .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG, .sigev_value.sival_ptr = &values[i]};
        const struct itimerspec every = {.it_interval.tv_nsec = 10000000, .it_value.tv_nsec = 10000000};
        MUST(timer_create(clocks[i], &event, &timers[i]) == 0);
        MUST(timer_settime(timers[i], 0, &every, NULL) == 0);
    }
    burn(500);
    for (int i = 0; i < 2; ++i) {
        MUST(timer_delete(timers[i]) == 0);
    }
    // The processor's timers are looked at by the tick: they come late, but all are counted.
    printf("processor time: %d, wall time: %d, wrong: %d\n", counts[0] >= 40 && counts[0] <= 51, counts[1] >= 40,
           (int)wrong);
    return 0;
}
