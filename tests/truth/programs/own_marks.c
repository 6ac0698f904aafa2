// Switches measurement off and on by <kymo/monitor.h>, and marks what it does. Prints whether it is measured, the
// number of its thread, and how long it had measurement off at least.
#include <kymo/monitor.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static long long now_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void compute(long long ns) {
    const long long begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) - begin < ns) {
        for (int i = 0; i < 1000; ++i) {
            sink += (unsigned long)i;
        }
    }
}

__attribute__((noinline)) static void work_that_counts(void) {
    compute(200000000);
    sink += 1;
}

__attribute__((noinline)) static void work_that_does_not(void) {
    compute(200000000);
    sink += 2;
}

__attribute__((noinline)) static void work_that_counts_again(void) {
    compute(200000000);
    sink += 3;
}

int main(void) {
    kymo_mark("first", 17);
    kymo_begin("solve", 3);
    work_that_counts();
    kymo_end("solve");
    kymo_stop();
    const long long begin = now_ns(CLOCK_MONOTONIC);
    work_that_does_not();
    const long long end = now_ns(CLOCK_MONOTONIC);
    kymo_stop();
    kymo_start();
    work_that_counts_again();
    kymo_mark("last", -1);
    printf("{\"measured\": %d, \"tid\": %d, \"off_ns\": %lld}\n", kymo_is_measured(), (int)gettid(), end - begin);
    return 0;
}
