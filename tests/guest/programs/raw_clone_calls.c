// Threads made with the bare system call and without thread-local storage of their own wait in the kernel by the C
// library's functions, as their creator does meanwhile: to the C library, and to whatever looks there, they are their
// creator. What each reads must be its own.
#include "../burn.h"

#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kThreads = 3, kRounds = 300, kStack = 1 << 18 };

static volatile int gone[kThreads];
static uint64_t sums[kThreads];

// Reads back what it writes, sleeping and polling in between.
static uint64_t use_pipe(uint64_t seed) {
    int ends[2];
    uint64_t sum = seed;
    MUST(pipe(ends) == 0);
    for (int i = 0; i < kRounds; ++i) {
        const struct timespec while_ = {0, 100000};
        struct pollfd poll_for = {ends[0], POLLIN, 0};
        uint64_t back = 0;
        sum = sum * 6364136223846793005ULL + 1442695040888963407ULL;
        nanosleep(&while_, NULL);
        MUST(poll(&poll_for, 1, 0) == 0);
        MUST(write(ends[1], &sum, sizeof sum) == sizeof sum);
        MUST(poll(&poll_for, 1, -1) == 1);
        MUST(read(ends[0], &back, sizeof back) == sizeof back && back == sum);
    }
    close(ends[0]);
    close(ends[1]);
    return sum;
}

static int work(void* which) {
    const intptr_t i = (intptr_t)which;
    sums[i] = use_pipe((uint64_t)i);
    syscall(SYS_exit, 0);
    return 0;
}

int main(void) {
    const int flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
    for (intptr_t i = 0; i < kThreads; ++i) {
        char* stack = mmap(NULL, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(stack != MAP_FAILED);
        gone[i] = 1;
        MUST(clone(work, stack + kStack, flags, (void*)i, NULL, NULL, &gone[i]) > 0);
    }
    const uint64_t own = use_pipe(99);
    burn(50);
    for (int i = 0; i < kThreads; ++i) {
        while (gone[i]) {
            syscall(SYS_futex, &gone[i], FUTEX_WAIT, 1, NULL, NULL, 0);
        }
        printf("%llx\n", (unsigned long long)sums[i]);
    }
    printf("%llx\n", (unsigned long long)own);
    return 0;
}
