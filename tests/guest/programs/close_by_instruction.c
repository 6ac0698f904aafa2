// Closes every descriptor above the standard ones by an instruction of its own, which nobody in between can see; then
// threads come and go, compute, and take numbers that others have lost.
#include "../burn.h"

#include <pthread.h>
#include <sys/syscall.h>

static long close_all(void) {
#if defined(__x86_64__)
    long result;
    register long flags __asm__("rdx") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_close_range), "D"(3L), "S"((long)~0U), "r"(flags)
                     : "rcx", "r11", "memory");
    return result;
#else
    return syscall(SYS_close_range, 3U, ~0U, 0U);
#endif
}

static void* compute(void* unused) {
    burn(10);
    return unused;
}

int main(void) {
    for (int round = 0; round < 10; ++round) {
        pthread_t threads[3];
        burn(10);
        MUST(close_all() == 0);
        for (int i = 0; i < 3; ++i) {
            MUST(pthread_create(&threads[i], NULL, compute, NULL) == 0);
        }
        burn(10);
        for (int i = 0; i < 3; ++i) {
            MUST(pthread_join(threads[i], NULL) == 0);
        }
    }
    puts("closed");
    return 0;
}
