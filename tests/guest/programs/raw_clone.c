// A thread made with the bare system call, which shares everything and has no thread-local storage of its own set up.
#include "../burn.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile uint64_t result;
static volatile int gone = 1;

static int count(void* unused) {
    (void)unused;
    uint64_t x = 1;
    for (uint64_t i = 0; i < 20000000; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    }
    result = x;
    syscall(SYS_exit, 0);
    return 0;
}

int main(void) {
    static char stack[65536] __attribute__((aligned(16)));
    const int flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
    MUST(clone(count, stack + sizeof stack, flags, NULL, NULL, NULL, &gone) > 0);
    burn(50);
    while (gone) {
        syscall(SYS_futex, &gone, FUTEX_WAIT, 1, NULL, NULL, 0);
    }
    printf("%llx\n", (unsigned long long)result);
    return 0;
}
