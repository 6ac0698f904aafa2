// Threads on stacks that the program gives them, used again at once by the next: in one block side by side, without
// guard pages; what lies between them is not touched.
#include "../burn.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { kThreads = 4, kStack = 65536, kBetween = 4096 };

static void* compute(void* number) {
    burn(3);
    return (char*)number + 1;
}

int main(void) {
    char* block =
        mmap(NULL, kThreads * (kStack + kBetween), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0, touched = 0;
    MUST(block != MAP_FAILED);
    for (int i = 0; i < kThreads; ++i) {
        memset(block + i * (kStack + kBetween), 0xa5, kBetween);
    }
    for (int round = 0; round < 8; ++round) {
        pthread_t threads[kThreads];
        for (int i = 0; i < kThreads; ++i) {
            pthread_attr_t attributes;
            MUST(pthread_attr_init(&attributes) == 0);
            MUST(pthread_attr_setstack(&attributes, block + i * (kStack + kBetween) + kBetween, kStack) == 0);
            MUST(pthread_create(&threads[i], &attributes, compute, (void*)(long)i) == 0);
        }
        for (int i = 0; i < kThreads; ++i) {
            void* result = NULL;
            MUST(pthread_join(threads[i], &result) == 0);
            sum += (long)result;
        }
    }
    for (int i = 0; i < kThreads; ++i) {
        for (int k = 0; k < kBetween; ++k) {
            touched += block[i * (kStack + kBetween) + k] != (char)0xa5;
        }
    }
    printf("%ld, touched %ld\n", sum, touched);
    return 0;
}
