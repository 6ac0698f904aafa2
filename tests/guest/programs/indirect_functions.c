// Functions that are chosen at the start (IFUNC), by resolvers that compute for a while, some of them at the first
// call only; they run while the linker is at work, before the program's own constructors, and are sampled like all
// else.
#include "../burn.h"

#include <pthread.h>

static uint64_t work(uint64_t x, long rounds) {
    for (long i = 0; i < rounds; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static volatile int resolved;

#define CHOSEN(name, constant)                                                    \
    static uint64_t name##_here(uint64_t x) {                                     \
        return work(x ^ (constant), 1000000);                                     \
    }                                                                             \
    static uint64_t (*resolve_##name(void))(uint64_t) {                           \
        resolved = resolved + 1;                                                  \
        return work(constant, 10000000) == 0 ? NULL : name##_here;                \
    }                                                                             \
    uint64_t name(uint64_t x) __attribute__((ifunc("resolve_" #name), noinline)); \
    uint64_t name(uint64_t x)

CHOSEN(first, 11);
CHOSEN(second, 22);
CHOSEN(third, 33);

static void* call_all(void* sum) {
    for (int i = 0; i < 10; ++i) {
        *(uint64_t*)sum = third(second(first(*(uint64_t*)sum)));
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    uint64_t sums[2] = {1, 1};
    MUST(pthread_create(&thread, NULL, call_all, &sums[1]) == 0);
    call_all(&sums[0]);
    MUST(pthread_join(thread, NULL) == 0 && sums[0] == sums[1]);
    printf("%d resolved, %llx\n", resolved, (unsigned long long)sums[0]);
    return 0;
}
