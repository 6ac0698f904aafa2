// Four threads on one lock, which each keeps so long that the others go to sleep over it. Prints nothing. Argument:
// how often each takes it (default 2000).
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long counter;
static long times = 2000;

__attribute__((noinline)) static void take_the_lock(void) {
    pthread_mutex_lock(&mutex);  // offender
    for (int i = 0; i < 20000; ++i) {
        counter++;
    }
    pthread_mutex_unlock(&mutex);
}

static void* work(void* nothing) {
    for (long i = 0; i < times; ++i) {
        take_the_lock();
    }
    return nothing;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        times = atol(argv[1]);
    }
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        pthread_create(&threads[i], 0, work, 0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], 0);
    }
    return 0;
}
