// threads N MS [ticks]: N threads that are all there at the same time; each is named t0, t1, … and computes for MS
// milliseconds of processor time. With "ticks" each has a timer on its own processor time, which is due after every
// millisecond, and tells on the error stream how often the kernel came to look: "t0 7".
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static pthread_barrier_t all_there;
static double milliseconds;
static int with_ticks;
static __thread volatile sig_atomic_t ticks;

static void on_tick(int number) {
    (void)number;
    ticks = ticks + 1;
}

static void begin_ticks(void) {
    struct sigevent notify = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    const struct itimerspec every = {{0, 1000000}, {0, 1000000}};
    timer_t timer;
    notify.sigev_notify_thread_id = gettid();
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &notify, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0) {
        exit(96);
    }
}

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
    if (with_ticks) {
        begin_ticks();
    }
    pthread_barrier_wait(&all_there);
    const double end = thread_ms() + milliseconds;
    while (thread_ms() < end) {
        for (int i = 0; i < 5000; ++i) {
            value = value * 1.0000001 + 0.5;
        }
    }
    if (with_ticks) {
        fprintf(stderr, "%s %d\n", name, (int)ticks);
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
    with_ticks = argc > 3;
    signal(SIGUSR1, on_tick);
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
