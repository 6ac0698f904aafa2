// A program with an allocator of its own, which is not to be entered from a signal handler, nor before it is ready;
// and threads.
#include "../burn.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* next;
static size_t left;
static volatile int inside;

void* malloc(size_t bytes) {
    pthread_mutex_lock(&mutex);
    if (inside++) {
        __builtin_trap();
    }
    bytes = (bytes + 31) / 16 * 16;
    if (left < bytes) {
        left = bytes > (1 << 20) ? bytes : 1 << 20;
        next = mmap(NULL, left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (next == MAP_FAILED) {
            __builtin_trap();
        }
    }
    char* result = next;
    memcpy(result, &bytes, sizeof bytes);
    next += bytes;
    left -= bytes;
    --inside;
    pthread_mutex_unlock(&mutex);
    return result + 16;
}
void free(void* block) {
    (void)block;
}
void* calloc(size_t count, size_t bytes) {
    return malloc(count * bytes);  // fresh pages are zero
}
void* realloc(void* block, size_t bytes) {
    void* other = malloc(bytes);
    if (block != NULL) {
        size_t had = 0;
        memcpy(&had, (char*)block - 16, sizeof had);
        memcpy(other, block, had - 16 < bytes ? had - 16 : bytes);
    }
    return other;
}

static void* allocate(void* unused) {
    long sum = 0;
    for (int i = 1; i < 20000; ++i) {
        char* block = malloc((size_t)(i % 100) + 1);  // one byte at least: it is written
        block[0] = (char)i;
        sum += block[0];
        free(block);
    }
    burn(10);
    return unused == NULL ? (void*)sum : unused;
}

int main(void) {
    pthread_t threads[3];
    long sum = 0;
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_create(&threads[i], NULL, allocate, NULL) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        void* result = NULL;
        MUST(pthread_join(threads[i], &result) == 0);
        sum += (long)result;
    }
    printf("%ld\n", sum);
    return 0;
}
