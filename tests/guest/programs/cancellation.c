// Threads cancelled while they compute (asynchronously) and while they wait (deferred); their clean-up handlers run.
#include "../burn.h"

#include <pthread.h>
#include <unistd.h>

static int cleaned;

static void clean(void* unused) {
    (void)unused;
    __atomic_add_fetch(&cleaned, 1, __ATOMIC_SEQ_CST);
}

static void* compute(void* unused) {
    pthread_cleanup_push(clean, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (volatile unsigned long i = 0;; ++i) {
    }
    pthread_cleanup_pop(0);
    return unused;
}

static void* sleep_long(void* unused) {
    pthread_cleanup_push(clean, NULL);
    burn(20);
    sleep(1000);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    for (int round = 0; round < 10; ++round) {
        pthread_t threads[2];
        MUST(pthread_create(&threads[0], NULL, compute, NULL) == 0);
        MUST(pthread_create(&threads[1], NULL, sleep_long, NULL) == 0);
        usleep(30000);
        for (int i = 0; i < 2; ++i) {
            void* result = NULL;
            MUST(pthread_cancel(threads[i]) == 0);
            MUST(pthread_join(threads[i], &result) == 0);
            MUST(result == PTHREAD_CANCELED);
        }
    }
    printf("cleaned %d times\n", cleaned);
    return 0;
}
