// A program that profiles itself: SIGPROF from setitimer, and gets what it asked for. How much of its time the kernel
// counts, which goes by whole ticks of a processor that others use too, SIGVTALRM tells: of the same ticks, those in
// user mode.
#include "../burn.h"

#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static volatile sig_atomic_t user_ticks;

static void on_tick(int number) {
    if (number == SIGPROF) {
        ticks = ticks + 1;
    } else {
        user_ticks = user_ticks + 1;
    }
}

int main(void) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    const struct itimerval every = {.it_interval = {.tv_usec = 10000}, .it_value = {.tv_usec = 10000}};
    struct itimerval left;
    MUST(sigaction(SIGPROF, &action, NULL) == 0);
    MUST(setitimer(ITIMER_PROF, &every, NULL) == 0);
    MUST(sigaction(SIGVTALRM, &action, NULL) == 0);
    MUST(setitimer(ITIMER_VIRTUAL, &every, NULL) == 0);
    burn(500);
    MUST(getitimer(ITIMER_PROF, &left) == 0);
    MUST(left.it_interval.tv_usec == 10000);
    // Two signals of one tick may be one, where the second comes before the first was handled.
    printf("ticks: %s\n", ticks > 0 && ticks + 2 >= user_ticks ? "as asked for" : "fewer than of its user time");
    return 0;
}
