// Two threads call step() until standard input is closed; each call makes one of inner(). For metrics that are
// switched off and on meanwhile.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int ended;
static volatile unsigned long sink;

__attribute__((noinline)) void inner(void) {
    for (int i = 0; i < 200; i++) {
        sink += (unsigned long)i;
    }
}

__attribute__((noinline)) void step(void) {
    inner();
    sink++;
}

static void* work(void* unused) {
    (void)unused;
    while (!atomic_load(&ended)) {
        step();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
    }
    puts("works");
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    atomic_store(&ended, 1);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
