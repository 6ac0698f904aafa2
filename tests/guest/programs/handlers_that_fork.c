// Handlers that fork, that wait for the child, that make a thread, and one that becomes another program.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t sum;

static void forks(int number) {
    (void)number;
    const pid_t child = fork();
    if (child == 0) {
        burn(5);
        _exit(3);
    }
    int status = 0;
    if (waitpid(child, &status, 0) == child) {
        sum = sum + WEXITSTATUS(status);
    }
}

static void becomes(int number) {
    (void)number;
    burn(5);
    execl("/bin/sh", "sh", "-c", "exit 17", (char*)NULL);
}

static void* compute(void* unused) {
    burn(5);
    return unused;
}

static void makes_thread(int number) {
    pthread_t thread;
    (void)number;
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
    sum = sum + 100;
}

int main(void) {
    MUST(signal(SIGUSR1, forks) != SIG_ERR && signal(SIGUSR2, makes_thread) != SIG_ERR &&
         signal(SIGALRM, becomes) != SIG_ERR);
    for (int i = 0; i < 5; ++i) {
        burn(5);
        MUST(raise(SIGUSR1) == 0 && raise(SIGUSR2) == 0);
    }
    printf("%d\n", (int)sum);
    fflush(stdout);
    raise(SIGALRM);
    return 98;
}
