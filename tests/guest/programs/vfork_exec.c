// vfork, then exec or _exit in the child: the child borrows the parent's memory and must leave it as it was.
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

int main(void) {
    pthread_t thread;
    int exited = 0;
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
    for (int i = 0; i < 60; ++i) {
        volatile int borrowed = 1;
        const pid_t child = vfork();
        MUST(child >= 0);
        if (child == 0) {
            borrowed = 2;
            if (i % 2) {
                _exit(4);
            }
            execl("/bin/sh", "sh", "-c", "exit 4", (char*)NULL);
            _exit(98);
        }
        int status = 0;
        burn(2);
        MUST(borrowed == 2);
        MUST(waitpid(child, &status, 0) == child);
        exited += WIFEXITED(status) && WEXITSTATUS(status) == 4;
    }
    stop = 1;
    MUST(pthread_join(thread, NULL) == 0);
    printf("%d children ended well\n", exited);
    return 0;
}
