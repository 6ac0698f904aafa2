// Threads that are cancelled in each kind of wait, also in those that are looked at from outside (locks, semaphores,
// conditions, joins): their clean-up handlers run, once, with what the wait promises.
#include "../burn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, ready;
static int ends[2], polls;
static pthread_t other;
static int cleaned[32];
static const struct timespec kLate = {.tv_sec = 4000000000};

static void clean(void* which) {
    ++*(int*)which;
    if (which == &cleaned[0] || which == &cleaned[1]) {
        pthread_mutex_unlock(&mutex);  // cancelled in a wait for a condition, a thread has its lock again
    }
}

static void wait_by(int which) {
    char byte;
    sigset_t none;
    fd_set set;
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    struct epoll_event event;
    sigemptyset(&none);
    sigaddset(&none, SIGUSR1);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    switch (which) {
        case 0:
            pthread_cond_wait(&never, &mutex);
            break;
        case 1:
            pthread_cond_timedwait(&never, &mutex, &kLate);
            break;
        case 2:
            sem_wait(&semaphore);
            break;
        case 3:
            sem_timedwait(&semaphore, &kLate);
            break;
        case 4:
            pthread_join(other, NULL);
            break;
        case 5:
            poll(&polled, 1, -1);
            break;
        case 6:
            ppoll(&polled, 1, NULL, NULL);
            break;
        case 7:
            select(ends[0] + 1, &set, NULL, NULL, NULL);
            break;
        case 8:
            pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL);
            break;
        case 9:
            epoll_wait(polls, &event, 1, -1);
            break;
        case 10:
            read(ends[0], &byte, 1);
            break;
        case 11:
            sleep(100000);
            break;
        case 12:
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &kLate, NULL);
            break;
        case 13:
            pause();
            break;
        case 14:
            sigwaitinfo(&none, NULL);
            break;
        case 15:
            sigsuspend(&none);
            break;
        case 16:
            sem_clockwait(&semaphore, CLOCK_MONOTONIC, &kLate);
            break;
        case 17:
            pthread_timedjoin_np(other, NULL, &kLate);
            break;
        default:
            waitpid(-1, NULL, 0);
            break;
    }
}

static void* waits(void* number) {
    const int which = (int)(intptr_t)number;
    pthread_cleanup_push(clean, &cleaned[which]);
    burn(2);
    MUST(which > 1 || pthread_mutex_lock(&mutex) == 0);
    sem_post(&ready);
    wait_by(which);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    const pid_t child = fork();
    if (child == 0) {
        pause();
    }
    MUST(pipe(ends) == 0 && sem_init(&semaphore, 0, 0) == 0 && sem_init(&ready, 0, 0) == 0);
    polls = epoll_create1(EPOLL_CLOEXEC);
    MUST(polls >= 0 && pthread_create(&other, NULL, waits, (void*)10) == 0 && sem_wait(&ready) == 0);
    for (int which = 0; which < 19; ++which) {
        pthread_t thread;
        void* result = NULL;
        MUST(pthread_create(&thread, NULL, waits, (void*)(intptr_t)which) == 0 && sem_wait(&ready) == 0);
        usleep(which % 2 == 0 ? 2000 : 0);
        MUST(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
        printf("%d: %s, cleaned %d\n", which, result == PTHREAD_CANCELED ? "cancelled" : "went on", cleaned[which]);
    }
    MUST(pthread_cancel(other) == 0 && pthread_join(other, NULL) == 0 && kill(child, SIGKILL) == 0);
    MUST(waitpid(child, NULL, 0) == child);
    return 0;
}
