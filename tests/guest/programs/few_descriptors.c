// 200 threads at once where the program may open 32 descriptors, and needs eight of them itself.
#include "../burn.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static pthread_barrier_t all_there;

static void* compute(void* unused) {
    pthread_barrier_wait(&all_there);
    burn(2);
    return unused;
}

int main(void) {
    const struct rlimit few = {32, 32};
    static pthread_t threads[200];
    pthread_attr_t small;
    MUST(setrlimit(RLIMIT_NOFILE, &few) == 0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&all_there, NULL, 201);
    for (int i = 0; i < 200; ++i) {
        MUST(pthread_create(&threads[i], &small, compute, NULL) == 0);
    }
    for (int i = 0; i < 8; ++i) {
        MUST(open("/dev/null", O_RDONLY) >= 0);
    }
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < 200; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    puts("200 threads");
    return 0;
}
