// threads N MS: N threads that are all there at the same time; each is named t0, t1, … and computes for MS
// milliseconds of processor time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_barrier_t all_there;
static double milliseconds;

static double thread_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void* compute(void* number) {
    char name[16];
    volatile double value = 1;
    snprintf(name, sizeof name, "t%ld", (long)number);
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&all_there);
    const double end = thread_ms() + milliseconds;
    while (thread_ms() < end) {
        for (int i = 0; i < 5000; ++i) {
            value = value * 1.0000001 + 0.5;
        }
    }
    pthread_barrier_wait(&all_there);
    return NULL;
}

int main(int argc, char** argv) {
    const long count = argc > 2 ? atol(argv[1]) : 0;
    pthread_t* threads = calloc((size_t)count + 1, sizeof *threads);
    pthread_attr_t small;
    if (count <= 0 || threads == NULL) {
        return 97;
    }
    milliseconds = atof(argv[2]);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&all_there, NULL, (unsigned)count);
    for (long i = 0; i < count; ++i) {
        if (pthread_create(&threads[i], &small, compute, (void*)i) != 0) {
            return 98;
        }
    }
    for (long i = 0; i < count; ++i) {
        pthread_join(threads[i], NULL);
    }
    printf("%ld threads\n", count);
    return 0;
}
