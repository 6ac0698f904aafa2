// Takes all of the address space that is left, as emulators do before they lay out their own, and goes on in what it
// has: threads on stacks of its own, children, faults that it recovers from. No memory can be mapped by anybody.
#include "../burn.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char stacks[4][262144] __attribute__((aligned(4096)));

static void* compute(void* unused) {
    burn(15);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    burn(20);
    // The heap cannot grow any more then, either.
    MUST(mallopt(M_TOP_PAD, 8 << 20) == 1 && mallopt(M_TRIM_THRESHOLD, 64 << 20) == 1);
    void* volatile some = malloc(100000);
    free(some);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (size_t bytes = (size_t)1 << 46; bytes >= 4096;) {
        if (mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
            bytes /= 2;
        }
    }
    MUST(mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    burn(20);
    for (int i = 0; i < 4; ++i) {
        pthread_attr_t attributes;
        MUST(pthread_attr_init(&attributes) == 0 &&
             pthread_attr_setstack(&attributes, stacks[i], sizeof stacks[i]) == 0);
        MUST(pthread_create(&threads[i], &attributes, compute, NULL) == 0);
    }
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        burn(20);
        _exit(3);
    }
    MUST(child > 0 && waitpid(child, &status, 0) == child);
    printf("its child ended with %d\n", WEXITSTATUS(status));
    return 0;
}
