// A thread whose stack grows downwards by itself (MAP_GROWSDOWN), into a hole that the program has left for it: its
// last pages alone are there at first, and the kernel adds none where something else lies a MiB or less below.
#include "../burn.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kHole = 4 << 20, kFirst = 64 << 10, kDepth = 300, kPage = 4096 };

static __attribute__((noinline)) uint64_t deep(int depth) {
    volatile char room[8192];
    room[0] = (char)depth;
    if (depth == 0) {
        burn(1);
        return 0;
    }
    return deep(depth - 1) + 1 + (uint64_t)(room[0] != (char)depth);
}

static void* run(void* unused) {
    uint64_t sum = 0;
    for (int i = 0; i <= 30; ++i) {
        sum += deep(i * kDepth / 30);
    }
    printf("%lu calls\n", (unsigned long)sum);
    return unused;
}

int main(void) {
    char* const hole = mmap(NULL, kHole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(hole != MAP_FAILED);
    MUST(munmap(hole, kHole) == 0);
    char* const first = mmap(hole + kHole - kFirst, kFirst, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
    MUST(first == hole + kHole - kFirst);
    // No room is left above it: what asks for a place from here on is given one in the hole, or beyond.
    char* page = NULL;
    do {
        page = mmap(NULL, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(page != MAP_FAILED);
    } while (page > first);
    MUST(munmap(page, kPage) == 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstack(&attributes, first, kFirst) == 0);
    pthread_t thread;
    MUST(pthread_create(&thread, &attributes, run, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    return 0;
}
