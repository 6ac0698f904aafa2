/* What the guest programs share: burn(ms) computes for that much of the calling thread's own processor time, so that
 * samples fall into whatever the program is doing. Nothing is printed about it: a guest program's output must not
 * depend on time. */
#ifndef KYMO_TESTS_GUEST_BURN_H
#define KYMO_TESTS_GUEST_BURN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline int64_t burn_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static inline void burn(int milliseconds) {
    const int64_t end = burn_clock(CLOCK_THREAD_CPUTIME_ID) + milliseconds * 1000000LL;
    uint64_t x = 1;
    while (burn_clock(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (int i = 0; i < 20000; ++i) {
            x = x * 6364136223846793005ULL + 1442695040888963407ULL;
            __asm__ volatile("" : "+r"(x));
        }
    }
}

/* Ends the program with a line on what went wrong. */
#define MUST(condition)                                                             \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(99);                                                               \
        }                                                                           \
    } while (0)

#endif
