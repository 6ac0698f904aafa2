// All memory locked, now and later: what is mapped counts, whether it is touched or not.
#include "../burn.h"

#include <pthread.h>
#include <sys/mman.h>

static void* compute(void* unused) {
    burn(20);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    pthread_attr_t small;
    pthread_attr_init(&small);
    MUST(pthread_attr_setstacksize(&small, 256 * 1024) == 0);
    MUST(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
    burn(20);
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_create(&threads[i], &small, compute, NULL) == 0);
    }
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    puts("locked");
    return 0;
}
