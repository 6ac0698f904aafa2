// Alternate signal stacks of every size from the least that the kernel asks for, as language run times have them (8
// KiB in Rust), in the middle of memory that is the program's: nothing beside them is written to, in the first sample
// and in later ones, in code that was never seen before, with a handler of the program's on them, and when the
// program ends.
#include "../burn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { kMargin = 64 * 1024, kSteps = 24, kStep = 96 };

static size_t least(void) {
    const unsigned long told = getauxval(AT_MINSIGSTKSZ);
    return told > 2048 ? (told + 15) / 16 * 16 : 2048;  // the kernel refuses less
}

static unsigned char* paint(size_t bytes) {
    unsigned char* memory = malloc(bytes + 2 * kMargin);
    MUST(memory != NULL);
    memset(memory, 0x5a, bytes + 2 * kMargin);
    return memory;
}

static int is_intact(const unsigned char* memory, size_t bytes) {
    for (size_t i = 0; i < kMargin; ++i) {
        if (memory[i] != 0x5a || memory[kMargin + bytes + i] != 0x5a) {
            return 0;
        }
    }
    return 1;
}

static int wrong;

static void* compute_with(void* size) {
    const size_t bytes = *(size_t*)size;
    unsigned char* memory = paint(bytes);
    stack_t stack = {.ss_sp = memory + kMargin, .ss_size = bytes};
    MUST(sigaltstack(&stack, NULL) == 0);
    burn(6);
    if (!is_intact(memory, bytes)) {
        wrong = wrong + 1;
    }
    stack.ss_flags = SS_DISABLE;
    MUST(sigaltstack(&stack, NULL) == 0);
    free(memory);
    return NULL;
}

int main(void) {
    // The first sample of the process, too, comes on such a stack.
    size_t smallest = least();
    unsigned char* memory = paint(smallest);
    stack_t stack = {.ss_sp = memory + kMargin, .ss_size = smallest};
    MUST(sigaltstack(&stack, NULL) == 0);
    burn(20);
    for (int i = 0; i < kSteps; ++i) {
        size_t bytes = smallest + (size_t)i * kStep;
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, compute_with, &bytes) == 0);
        MUST(pthread_join(thread, NULL) == 0);
    }
    for (size_t bytes = 8192; bytes <= 65536; bytes *= 2) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, compute_with, &bytes) == 0);
        MUST(pthread_join(thread, NULL) == 0);
    }
    // Code that was not there before.
    void* library = dlopen("libm.so.6", RTLD_NOW);
    MUST(library != NULL);
    double (*gamma)(double) = (double (*)(double))dlsym(library, "lgamma");
    MUST(gamma != NULL);
    double sum = 0;
    for (int i = 0; i < 2000000; ++i) {
        sum += gamma(1.5 + i % 100);
    }
    MUST(is_intact(memory, smallest));
    printf("%d of %d stacks with something written beside them, sum %.3e\n", wrong, kSteps + 5, sum);
    return 0;
}
