// Two threads, one of which waits all along; the other takes memory and gives it back, at each line that it reads
// from standard input, and prints where it was as JSON.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BYTES = 64 * 4096 };

static int begun[2];
static uintptr_t on_stack;
static long tid;

static void* wait_for_ever(void* unused) {
    (void)unused;
    char here = 0;
    on_stack = (uintptr_t)&here;
    tid = syscall(SYS_gettid);
    if (write(begun[1], "b", 1) != 1) {
        exit(1);
    }
    while (1) {
        pause();
    }
    return NULL;
}

static void next(void) {
    char line[8];
    if (fgets(line, sizeof line, stdin) == NULL) {
        exit(1);
    }
}

int main(void) {
    pthread_t thread;
    char byte;
    if (pipe(begun) != 0 || pthread_create(&thread, NULL, wait_for_ever, NULL) != 0 ||
        read(begun[0], &byte, 1) != 1) {
        exit(1);
    }
    // Executable, so that the kernel joins it with nothing beside it.
    void* at = mmap(NULL, BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        exit(1);
    }
    printf("{\"at\": %lu, \"bytes\": %d, \"stack\": %lu, \"tid\": %ld}\n", (uintptr_t)at, BYTES, on_stack, tid);
    fflush(stdout);
    next();  // until it has been seen
    munmap(at, BYTES);
    next();  // until it has been seen to be gone
    return 0;
}
