// Children that never exec, made from main and from a thread while others compute; each works, and ends with its own
// status.
#include "../burn.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;

static void* compute(void* unused) {
    while (!stop) {
        burn(1);
    }
    return unused;
}

static void* child_thread(void* unused) {
    burn(20);
    return unused;
}

static void fork_some(int first) {
    for (int i = 0; i < 5; ++i) {
        const pid_t child = fork();
        MUST(child >= 0);
        if (child == 0) {
            pthread_t thread;
            burn(20);
            if (pthread_create(&thread, NULL, child_thread, NULL) != 0 || pthread_join(thread, NULL) != 0) {
                _exit(99);
            }
            if (i % 2) {
                _exit(first + i);
            }
            exit(first + i);
        }
        int status = 0;
        MUST(waitpid(child, &status, 0) == child);
        printf("child %d: exited %d with %d\n", i, WIFEXITED(status), WEXITSTATUS(status));
        fflush(stdout);
    }
}

static void* fork_from_thread(void* unused) {
    fork_some(20);
    return unused;
}

int main(void) {
    pthread_t busy, forker;
    fork_some(10);
    MUST(pthread_create(&busy, NULL, compute, NULL) == 0);
    MUST(pthread_create(&forker, NULL, fork_from_thread, NULL) == 0);
    MUST(pthread_join(forker, NULL) == 0);
    stop = 1;
    MUST(pthread_join(busy, NULL) == 0);
    return 3;
}
