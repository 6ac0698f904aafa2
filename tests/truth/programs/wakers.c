// Pairs of threads of known names, 60 rounds each: one waits, in a function of its own, and the other ends that, 2 ms
// later. Ends by itself.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static long signals;
static int ends[2];
static sem_t posts;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t turn;

static void nap(void) {
    const struct timespec time = {0, 2000000};
    nanosleep(&time, NULL);
}

__attribute__((noinline)) static void waits_for_signal(long round) {
    pthread_mutex_lock(&lock);
    while (signals <= round) {
        pthread_cond_wait(&signalled, &lock);
    }
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void reads_pipe(void) {
    char byte;
    if (read(ends[0], &byte, 1) != 1) {
        puts("no byte");
    }
}

__attribute__((noinline)) static void waits_for_post(void) {
    sem_wait(&posts);
    __asm__ volatile("");
}

__attribute__((noinline)) static void waits_for_lock(void) {
    pthread_mutex_lock(&held);
    __asm__ volatile("");
    pthread_mutex_unlock(&held);
}

static void* waiter(void* name) {
    pthread_setname_np(pthread_self(), name);
    const char kind = ((const char*)name)[0];
    for (long round = 0; round < kRounds; ++round) {
        if (kind == 's') {
            waits_for_signal(round);
        } else if (kind == 'r') {
            reads_pipe();
        } else if (kind == 'p') {
            waits_for_post();
        } else {
            pthread_barrier_wait(&turn);  // the other has the lock
            waits_for_lock();
            pthread_barrier_wait(&turn);  // and takes it again after this
        }
    }
    return NULL;
}

static void* waker(void* name) {
    pthread_setname_np(pthread_self(), name);
    const char kind = ((const char*)name)[0];
    for (long round = 0; round < kRounds; ++round) {
        if (kind == 'l') {
            pthread_mutex_lock(&held);
            pthread_barrier_wait(&turn);
            nap();
            pthread_mutex_unlock(&held);
            pthread_barrier_wait(&turn);
            continue;
        }
        nap();
        if (kind == 's') {
            pthread_mutex_lock(&lock);
            ++signals;
            pthread_mutex_unlock(&lock);
            pthread_cond_signal(&signalled);
        } else if (kind == 'r') {
            if (write(ends[1], "x", 1) != 1) {
                puts("not written");
            }
        } else {
            sem_post(&posts);
        }
    }
    return NULL;
}

int main(void) {
    static char* const names[4][2] = {
        {"signalled", "signals"}, {"reads", "r-writes"}, {"posted", "posts"}, {"locked", "locks"}};
    pthread_t threads[8];
    if (pipe(ends) != 0 || sem_init(&posts, 0, 0) != 0 || pthread_barrier_init(&turn, NULL, 2) != 0) {
        return 1;
    }
    for (int i = 0; i < 4; ++i) {
        pthread_create(&threads[2 * i], NULL, waiter, names[i][0]);
        pthread_create(&threads[2 * i + 1], NULL, waker, names[i][1]);
    }
    for (int i = 0; i < 8; ++i) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
