// Threads that are cancelled while they wait, in every kind of wait that is a cancellation point: their cleanup runs,
// the mutex of a condition is theirs again, and what comes after works.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int pipes[2];
static pthread_t sleeper;

static void clean(void* what) {
    printf("%s: cleaned up\n", (const char*)what);
}

static void clean_condition(void* what) {
    printf("%s: the mutex is %s\n", (const char*)what, pthread_mutex_trylock(&mutex) == 0 ? "free" : "kept");
    pthread_mutex_unlock(&mutex);
}

static void* in_condition(void* what) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean_condition, what);
    for (;;) {
        pthread_cond_wait(&condition, &mutex);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void* in_timed_condition(void* what) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean_condition, what);
    pthread_cond_timedwait(&condition, &mutex, &until);
    pthread_cleanup_pop(0);
    return NULL;
}

#define KEEP_ON(CALL)                  \
    pthread_cleanup_push(clean, what); \
    for (;;) {                         \
        CALL;                          \
    }                                  \
    pthread_cleanup_pop(0);            \
    return NULL

static void* in_semaphore(void* what) {
    KEEP_ON(sem_wait(&semaphore));
}
static void* in_read(void* what) {
    char byte;
    KEEP_ON(if (read(pipes[0], &byte, 1) < 0) break);
}
static void* in_sleep(void* what) {
    KEEP_ON(sleep(100));
}
static void* in_join(void* what) {
    KEEP_ON(pthread_join(sleeper, NULL));
}

// Cancellation is pending when the wait is reached, and nothing would have to be waited for.
static void* in_ready_semaphore(void* what) {
    pthread_cleanup_push(clean, what);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    sem_wait(&semaphore);
    printf("%s: went on\n", (const char*)what);
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel(const char* what, void* (*start)(void*)) {
    pthread_t thread;
    void* result = NULL;
    pthread_create(&thread, NULL, start, (void*)what);
    usleep(50000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%s: %s\n", what, result == PTHREAD_CANCELED ? "cancelled" : "returned");
}

int main(void) {
    sem_init(&semaphore, 0, 0);
    if (pipe(pipes) != 0) {
        return 1;
    }
    cancel("condition", in_condition);
    cancel("timed condition", in_timed_condition);
    cancel("semaphore", in_semaphore);
    cancel("read", in_read);
    cancel("sleep", in_sleep);
    pthread_create(&sleeper, NULL, in_sleep, "joined");
    cancel("join", in_join);
    pthread_cancel(sleeper);
    pthread_join(sleeper, NULL);
    sem_post(&semaphore);
    cancel("ready semaphore", in_ready_semaphore);
    printf("the semaphore is %s\n", sem_trywait(&semaphore) == 0 ? "untouched" : "taken");
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf("done\n");
    return 0;
}
