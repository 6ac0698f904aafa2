// A thread whose stack, and with it its thread-local storage, has a protection key of its own (pkeys(7)): a signal
// handler begins without access to it. (So does the kernel, before 6.16 or so, where it writes to the thread's area
// for restartable sequences, which is there as well: any signal kills such a thread. This one does without that
// area.)
#include "../burn.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kStack = 1 << 20 };

static void* run(void* with_alternate) {
    if (with_alternate != NULL) {
        const stack_t alternate = {.ss_sp = malloc(65536), .ss_size = 65536};
        MUST(sigaltstack(&alternate, NULL) == 0);
    }
    burn(100);
    return with_alternate;
}

int main(int count, char** words) {
    (void)count;
    if (getenv("GLIBC_TUNABLES") == NULL) {
        setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
        execv("/proc/self/exe", words);
        return 98;
    }
    const int key = pkey_alloc(0, 0);
    if (key < 0) {
        puts("no keys");  // the processor has none, or all are in use
        return 0;
    }
    for (uintptr_t with_alternate = 0; with_alternate < 2; ++with_alternate) {
        char* const stack = mmap(NULL, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(stack != MAP_FAILED && pkey_mprotect(stack, kStack, PROT_READ | PROT_WRITE, key) == 0);
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        MUST(pthread_attr_setstack(&attributes, stack, kStack) == 0);
        pthread_t thread;
        MUST(pthread_create(&thread, &attributes, run, (void*)with_alternate) == 0);
        void* result = NULL;
        MUST(pthread_join(thread, &result) == 0);
        printf("thread %d\n", result != NULL);
        fflush(stdout);
    }
    return 0;
}
