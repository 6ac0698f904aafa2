// A real-time thread (SCHED_FIFO, where it is allowed) beside usual ones, all on one processor: it makes threads,
// waits and computes. Whoever holds a lock that it needs gets no time while it tries again and again.
#include "../burn.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int done;

static void* nothing(void* unused) {
    burn(1);
    return unused;
}

static void* usual(void* unused) {
    while (!done) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
    }
    return unused;
}

static void* urgent(void* unused) {
    const struct sched_param priority = {.sched_priority = 10};
    const int refused = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
    for (int round = 0; round < 20; ++round) {
        pthread_t threads[2];
        for (int i = 0; i < 2; ++i) {
            MUST(pthread_create(&threads[i], NULL, nothing, NULL) == 0);
        }
        burn(1);
        for (int i = 0; i < 2; ++i) {
            MUST(pthread_join(threads[i], NULL) == 0);
        }
        usleep(500);
    }
    printf("real time: %s\n", refused == 0 ? "yes" : "not allowed");
    return unused;
}

int main(void) {
    pthread_t threads[3];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    MUST(sched_setaffinity(0, sizeof one, &one) == 0);
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_create(&threads[i], NULL, i < 2 ? usual : urgent, NULL) == 0);
    }
    MUST(pthread_join(threads[2], NULL) == 0);
    done = 1;
    MUST(pthread_join(threads[0], NULL) == 0 && pthread_join(threads[1], NULL) == 0);
    return 0;
}
