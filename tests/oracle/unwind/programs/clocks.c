// Code the kernel provides: clock_gettime, gettimeofday, time and getcpu through the vDSO.
#define _GNU_SOURCE
#include <sched.h>
#include <sys/time.h>
#include <time.h>

static volatile long sink;

__attribute__((noinline)) void scenario(void) {
    struct timespec now;
    struct timeval of_day;
    unsigned processor = 0;
    for (int i = 0; i < 3; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sink = now.tv_nsec;
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        clock_getres(CLOCK_MONOTONIC, &now);
        gettimeofday(&of_day, NULL);
        sink = of_day.tv_usec + time(NULL);
        getcpu(&processor, NULL);
        sink = (long)processor;
    }
}

int main(void) {
    scenario();
    return 0;
}
