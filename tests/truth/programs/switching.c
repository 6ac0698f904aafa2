// Two threads that pass a byte to and fro, and work a little each time: three parts in heavy(), one in light(). Then
// one of them computes alone. Arguments: rounds, and thousands of additions in compute(). Prints what each is.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int to_other[2];
static int to_first[2];
static long rounds;

static uint64_t add_up(long count) {
    volatile uint64_t sum = 0;
    for (long i = 0; i < count; ++i) {
        sum += (uint64_t)i;
    }
    return sum;
}

__attribute__((noinline)) static uint64_t heavy(void) {
    return add_up(4500) + 1;
}

__attribute__((noinline)) static uint64_t light(void) {
    return add_up(1500) + 2;
}

__attribute__((noinline)) static uint64_t compute(long thousands) {
    uint64_t sum = 0;
    for (long i = 0; i < thousands; ++i) {
        sum += add_up(1000);
    }
    return sum;
}

static void pass(int to, int from, int is_first) {
    char byte = 0;
    for (long i = 0; i < rounds; ++i) {
        if (!is_first && read(from, &byte, 1) != 1) {
            exit(1);
        }
        heavy();
        light();
        if (write(to, &byte, 1) != 1 || (is_first && read(from, &byte, 1) != 1)) {
            exit(1);
        }
    }
}

static void* other(void* unused) {
    pass(to_first[1], to_other[0], 0);
    return unused;
}

static long nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

int main(int count, char** arguments) {
    rounds = count > 1 ? atol(arguments[1]) : 20000;
    const long thousands = count > 2 ? atol(arguments[2]) : 0;
    pthread_t thread;
    if (pipe(to_other) != 0 || pipe(to_first) != 0 || pthread_create(&thread, NULL, other, NULL) != 0) {
        return 1;
    }
    pass(to_other[1], to_first[0], 1);
    pthread_join(thread, NULL);
    const long before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    compute(thousands);
    const long after = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    const long spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"rounds\": %ld, \"compute\": %ld, \"spent\": %ld, \"system\": %ld}\n", rounds, after - before, spent,
           usage.ru_stime.tv_sec * 1000000000L + usage.ru_stime.tv_usec * 1000L);
    return 0;
}
