// Takes SIGURG by instructions of its own, as run times without a C library do: nobody can see that, so its handler
// gets what Kymo sends too, and must be one that does not mind. The recording tells what has become of the samples.
#include "../burn.h"

#include <signal.h>
#include <sys/syscall.h>

struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

int main(void) {
    const struct kernel_action ignored = {SIG_IGN, 0, 0, 0};
    long result = SYS_rt_sigaction;
    burn(50);
    __asm__ volatile("movq $8, %%r10\nsyscall"
                     : "+a"(result)
                     : "D"((long)SIGURG), "S"(&ignored), "d"(0L)
                     : "rcx", "r10", "r11", "memory");
    printf("set: %ld\n", result);
    burn(50);
    return 0;
}
