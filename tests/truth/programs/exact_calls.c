// Functions that are called so many times and no more: in two threads, by themselves, left by longjmp, by
// pthread_exit and by exit, and in a forked child. Three calls of step() sleep for 20 ms. Prints how often each was
// called, and who slept.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone, noipa))

enum { kMicrosecond = 400, kMillisecond = 1000 * kMicrosecond };  // rounds, about

static const struct timespec kSleep = {0, 20 * 1000 * 1000};
static jmp_buf back;
static volatile unsigned sink;

static inline __attribute__((always_inline)) void spin(unsigned rounds) {
    for (unsigned i = 0; i < rounds; ++i) {
        sink += i;
    }
}

FUNCTION void step(int sleeps) {
    spin(50 * kMicrosecond);
    if (sleeps) {
        struct timespec left = kSleep;
        while (nanosleep(&left, &left) != 0) {
        }
    }
}

FUNCTION unsigned descend(unsigned depth) {
    spin(3 * kMillisecond);
    return depth == 0 ? 0 : 1 + descend(depth - 1);
}

FUNCTION void leap(int leaps) {
    spin(25 * kMillisecond);
    if (leaps) {
        longjmp(back, 1);
    }
    spin(kMicrosecond);
}

FUNCTION void* ends_inside(void* argument) {
    spin(80 * kMillisecond);
    pthread_exit(argument);
}

struct Steps {
    int calls;
    int first;  // that sleep; -1: none
    int second;
    long tid;
};

FUNCTION void* steps(void* argument) {
    struct Steps* wanted = argument;
    wanted->tid = syscall(SYS_gettid);
    for (int i = 0; i < wanted->calls; ++i) {
        step(i == wanted->first || i == wanted->second);
    }
    return NULL;
}

int main(void) {
    struct Steps work[2] = {{600, 100, 500, 0}, {400, 200, -1, 0}};
    pthread_t threads[3];
    for (int i = 0; i < 2; ++i) {
        pthread_create(&threads[i], NULL, steps, &work[i]);
    }
    pthread_create(&threads[2], NULL, ends_inside, NULL);
    for (int i = 0; i < 3; ++i) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < 10; ++i) {
        sink += descend(4);
    }
    for (volatile int i = 0; i < 4; ++i) {
        if (setjmp(back) == 0) {
            leap(i < 3);
        }
    }
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; ++i) {
            step(0);
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
    // Thread numbers differ from run to run: they go where nobody compares them.
    fprintf(stderr, "sleepers %ld %ld\n", work[0].tid, work[1].tid);
    printf(
        "{\"main\": 1, \"steps\": 2, \"step\": 1005, \"descend\": 10, \"leap\": 4, \"leaps\": 3, \"ends_inside\": "
        "1}\n");
    exit(0);
}
