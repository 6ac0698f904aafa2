/* Work that takes a given time of the processor, however busy the machine is. */
#pragma once

#include <time.h>

static double spent(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline __attribute__((always_inline)) void work_ms(double ms) {
    volatile double value = 1;
    const double end = spent() + ms / 1e3;
    while (spent() < end) {
        for (int i = 0; i < 5000; ++i) {
            value = value * 1.0000001;
        }
    }
}
