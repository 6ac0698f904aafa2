// Timed waits in a program that is being sampled hard: none of them may end early with EINTR.
#include "../burn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/select.h>
#include <unistd.h>

static int interrupted;

static void* wait_in_turn(void* unused) {
    sem_t never;
    sem_init(&never, 0, 0);
    for (int i = 0; i < 60; ++i) {
        const struct timespec short_while = {.tv_nsec = 2000000};
        struct timespec until;
        struct timeval select_while = {.tv_usec = 2000};
        interrupted += nanosleep(&short_while, NULL) != 0;
        burn(1);
        interrupted += poll(NULL, 0, 2) != 0;
        burn(1);
        interrupted += select(0, NULL, NULL, NULL, &select_while) != 0;
        burn(1);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec += 1;
        }
        interrupted += !(sem_timedwait(&never, &until) == -1 && errno == ETIMEDOUT);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) {
        MUST(pthread_create(&threads[i], NULL, wait_in_turn, NULL) == 0);
    }
    for (int i = 0; i < 2; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    printf("%d interrupted\n", interrupted);
    return 0;
}
