// Recurses through 160 MiB of main's stack, which it has asked to be as large as it likes, from a program that it has
// become for that; and in a thread with a stack of half a gigabyte.
#include "../burn.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

__attribute__((noinline)) static long dig(long depth) {
    volatile char room[65536];
    room[0] = (char)depth;
    if (depth % 500 == 0) {
        burn(3);
    }
    const long below = depth == 0 ? 0 : dig(depth - 1);
    return below + room[0] - (char)depth + 1;
}

static void* dig_in_thread(void* depth) {
    *(long*)depth = dig(*(long*)depth);
    return NULL;
}

int main(int argc, char** argv) {
    if (argc == 1) {
        struct rlimit limit;
        MUST(getrlimit(RLIMIT_STACK, &limit) == 0);
        limit.rlim_cur = limit.rlim_max;
        MUST(setrlimit(RLIMIT_STACK, &limit) == 0);
        execl("/proc/self/exe", argv[0], "again", (char*)NULL);
        return 98;
    }
    long depth = 1000;
    pthread_t thread;
    pthread_attr_t attributes;
    printf("%ld deep\n", dig(2560));
    MUST(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 512UL << 20U) == 0);
    MUST(pthread_create(&thread, &attributes, dig_in_thread, &depth) == 0 && pthread_join(thread, NULL) == 0);
    printf("%ld deep in a thread\n", depth);
    return 0;
}
