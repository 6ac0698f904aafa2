// A program that profiles itself: SIGPROF from setitimer, and gets what it asked for.
#include "../burn.h"

#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void on_tick(int number) {
    (void)number;
    ticks = ticks + 1;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    const struct itimerval every = {.it_interval = {.tv_usec = 10000}, .it_value = {.tv_usec = 10000}};
    struct itimerval left;
    MUST(sigaction(SIGPROF, &action, NULL) == 0);
    MUST(setitimer(ITIMER_PROF, &every, NULL) == 0);
    burn(500);
    MUST(getitimer(ITIMER_PROF, &left) == 0);
    MUST(left.it_interval.tv_usec == 10000);
    // About fifty on a machine to itself; the kernel counts whole ticks of a processor that others use too.
    printf("ticks: %s\n", ticks >= 5 ? "as asked for" : "hardly any");
    return 0;
}
