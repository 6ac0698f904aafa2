// Locks of every kind, and what they answer: robust ones whose owner has died, recursive ones, such that check for
// mistakes, with priorities, with deadlines by both clocks.
#include "../burn.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t robust, recursive, checking, inheriting;

static void* die_with_it(void* unused) {
    MUST(pthread_mutex_lock(&robust) == 0);
    burn(30);
    return unused;
}

static void* hold(void* barrier) {
    MUST(pthread_mutex_lock(&inheriting) == 0);
    pthread_barrier_wait(barrier);
    burn(60);
    MUST(pthread_mutex_unlock(&inheriting) == 0);
    return NULL;
}

static void make(pthread_mutex_t* mutex, int type, int robustness, int protocol) {
    pthread_mutexattr_t attributes;
    MUST(pthread_mutexattr_init(&attributes) == 0 && pthread_mutexattr_settype(&attributes, type) == 0);
    MUST(pthread_mutexattr_setrobust(&attributes, robustness) == 0 &&
         pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
    MUST(pthread_mutex_init(mutex, &attributes) == 0);
}

int main(void) {
    make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
    make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    make(&checking, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    make(&inheriting, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, die_with_it, NULL) == 0 && pthread_join(thread, NULL) == 0);
    const int died = pthread_mutex_lock(&robust);
    const int consistent = pthread_mutex_consistent(&robust);
    printf("owner died: %d, consistent: %d, unlock: %d\n", died == EOWNERDEAD, consistent,
           pthread_mutex_unlock(&robust));
    const int twice = pthread_mutex_lock(&recursive) + pthread_mutex_lock(&recursive);
    const int half = pthread_mutex_unlock(&recursive);
    printf("recursive: %d %d %d\n", twice, half, pthread_mutex_unlock(&recursive));
    const int once = pthread_mutex_lock(&checking);
    const int again = pthread_mutex_lock(&checking);
    const int let = pthread_mutex_unlock(&checking);
    printf("checking: %d %d %d %d\n", once, again == EDEADLK, let, pthread_mutex_unlock(&checking) == EPERM);

    pthread_barrier_t barrier;
    MUST(pthread_barrier_init(&barrier, NULL, 2) == 0 && pthread_create(&thread, NULL, hold, &barrier) == 0);
    pthread_barrier_wait(&barrier);
    const int tried = pthread_mutex_trylock(&inheriting);
    const int held = pthread_mutex_lock(&inheriting);
    printf("inheriting: %d %d %d\n", tried == EBUSY || tried == 0, held, pthread_mutex_unlock(&inheriting));
    MUST(pthread_join(thread, NULL) == 0);

    struct timespec soon;
    sem_t semaphore;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    MUST(sem_init(&semaphore, 0, 0) == 0);
    for (int clock = 0; clock < 2; ++clock) {
        const clockid_t by = clock == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
        clock_gettime(by, &soon);
        soon.tv_nsec += 20000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        const int missed = sem_clockwait(&semaphore, by, &soon) == -1 && errno == ETIMEDOUT;
        MUST(pthread_mutex_lock(&recursive) == 0);
        const int waited = pthread_cond_clockwait(&condition, &recursive, by, &soon);
        MUST(pthread_mutex_unlock(&recursive) == 0);
        printf("deadlines: %d %d\n", missed, waited == ETIMEDOUT);
        burn(60);
    }
    return 0;
}
