// Detached threads, of which some are still computing when the program ends.
#include "../burn.h"

#include <pthread.h>
#include <unistd.h>

static int finished;

static void* compute(void* milliseconds) {
    burn(*(int*)milliseconds);
    __atomic_add_fetch(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void) {
    static int shortly = 3, for_long = 100000;
    pthread_attr_t detached;
    pthread_t thread;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 50; ++i) {
        MUST(pthread_create(&thread, &detached, compute, &shortly) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_create(&thread, NULL, compute, &for_long) == 0);
        MUST(pthread_detach(thread) == 0);
    }
    while (__atomic_load_n(&finished, __ATOMIC_SEQ_CST) < 50) {
        usleep(1000);
    }
    puts("fifty are done, three are left");
    return 0;
}
