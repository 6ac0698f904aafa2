// Replaces itself five times, each time with a busy second thread, and ends with a status of its own.
#include "../burn.h"

#include <pthread.h>
#include <unistd.h>

static void* compute(void* unused) {
    for (;;) {
        burn(1);
    }
    return unused;
}

int main(int argc, char** argv) {
    const int turn = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
    burn(30);
    printf("turn %d\n", turn);
    fflush(stdout);
    if (turn < 5) {
        char next[12];
        snprintf(next, sizeof next, "%d", turn + 1);
        execl(argv[0], argv[0], next, (char*)NULL);
        return 98;
    }
    return 5;
}
