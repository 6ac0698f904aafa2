// Locks shared by processes, one of which is killed with a robust one held; one with priority inheritance; and waits
// that time out.
#include "../burn.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct Shared {
    pthread_mutex_t robust, counted;
    pthread_cond_t changed;
    int count;
};

int main(void) {
    struct Shared* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_condattr_t with;
    MUST(shared != MAP_FAILED && pthread_mutexattr_init(&attributes) == 0 && pthread_condattr_init(&with) == 0);
    MUST(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    MUST(pthread_condattr_setpshared(&with, PTHREAD_PROCESS_SHARED) == 0 &&
         pthread_cond_init(&shared->changed, &with) == 0);
    MUST(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
    MUST(pthread_mutex_init(&shared->counted, &attributes) == 0);
    MUST(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE) == 0);
    MUST(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    MUST(pthread_mutex_init(&shared->robust, &attributes) == 0);

    const pid_t victim = fork();
    if (victim == 0) {
        MUST(pthread_mutex_lock(&shared->robust) == 0);
        burn(10);
        raise(SIGKILL);
    }
    int status = 0;
    MUST(waitpid(victim, &status, 0) == victim);
    const int died = pthread_mutex_lock(&shared->robust) == EOWNERDEAD;
    MUST(pthread_mutex_consistent(&shared->robust) == 0 && pthread_mutex_unlock(&shared->robust) == 0);
    printf("its owner died: %d, locked again: %d\n", died, pthread_mutex_lock(&shared->robust));

    for (int i = 0; i < 3; ++i) {
        if (fork() == 0) {
            for (int k = 0; k < 200; ++k) {
                MUST(pthread_mutex_lock(&shared->counted) == 0);
                ++shared->count;
                MUST(pthread_mutex_unlock(&shared->counted) == 0);
            }
            MUST(pthread_cond_broadcast(&shared->changed) == 0);
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {
    }
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = soon.tv_nsec < 990000000 ? soon.tv_nsec + 5000000 : 999999999;
    MUST(pthread_mutex_lock(&shared->counted) == 0);
    const int late = pthread_cond_timedwait(&shared->changed, &shared->counted, &soon);
    printf("counted %d, timed out %d\n", shared->count, late == ETIMEDOUT);
    return 0;
}
