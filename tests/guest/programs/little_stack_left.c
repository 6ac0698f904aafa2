// Threads with hardly any stack left, down to what the kernel itself needs for a signal: they compute, in the first
// sample and in later ones, and nothing below the stack is touched (it cannot be: there is no memory).
#include "../burn.h"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { kSteps = 30, kStep = 128, kRedZone = 128 };

static char* lowest;  // of the stack's memory
static size_t leave;  // so many bytes below the stack pointer

// Computes in this frame alone: the loop calls nothing that needs stack.
static __attribute__((noinline)) uint64_t compute(void) {
    uint64_t x = 1;
    for (int i = 0; i < 12000000; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static void* go_down(void* unused) {
    char here;
    const size_t spare = (size_t)(&here - lowest);
    MUST(spare > leave);
    // Down to `leave` bytes, less this frame's own.
    volatile char* used = __builtin_alloca(spare - leave);
    used[0] = 1;
    return compute() == 0 ? unused : NULL;
}

int main(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes = 64 * 1024;
    const unsigned long told = getauxval(AT_MINSIGSTKSZ);
    const size_t least = (told != 0 ? told : 2048) + kRedZone + 64;
    for (int i = 0; i < kSteps; ++i) {
        char* memory = mmap(NULL, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(memory != MAP_FAILED && mprotect(memory + page, bytes, PROT_READ | PROT_WRITE) == 0);
        lowest = memory + page;
        leave = least + (size_t)i * kStep;
        pthread_attr_t attributes;
        pthread_t thread;
        MUST(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, lowest, bytes) == 0);
        MUST(pthread_create(&thread, &attributes, go_down, NULL) == 0);
        MUST(pthread_join(thread, NULL) == 0);
        munmap(memory, bytes + page);
    }
    puts("computed on what was left");
    return 0;
}
