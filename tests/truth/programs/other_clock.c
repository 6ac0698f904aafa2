// To be preloaded: clocks of another year that go at a tenth of the speed, as tools have them that show a program
// another time. Processor time stays what it is.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
    const int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC)) {
        const long long ns = (time->tv_sec * 1000000000LL + time->tv_nsec) / 10 + 1000000000000000000LL;
        time->tv_sec = ns / 1000000000;
        time->tv_nsec = ns % 1000000000;
    }
    return result;
}
