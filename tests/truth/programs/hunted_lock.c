// Four threads on one lock, which each keeps so long that the others go to sleep over it. Prints nothing.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long counter;

__attribute__((noinline)) static void take_the_lock(void) {
    pthread_mutex_lock(&mutex);  // offender
    for (int i = 0; i < 20000; ++i) {
        counter++;
    }
    pthread_mutex_unlock(&mutex);
}

static void* work(void* nothing) {
    for (int i = 0; i < 2000; ++i) {
        take_the_lock();
    }
    return nothing;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        pthread_create(&threads[i], 0, work, 0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], 0);
    }
    return 0;
}
