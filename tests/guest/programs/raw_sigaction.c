// Handles signals by system calls of its own: SIGURG and SIGPROF, either of which Kymo may sample with, asked for by
// number. It gets back what it has set, wrong addresses fail as they do, and its handler gets its own signals.
#include "../burn.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

static volatile sig_atomic_t seen;

static void count(int signal) {
    (void)signal;
    ++seen;
}

__asm__(".text\nreturn_from_handler: movl $15, %eax\nsyscall\n");
void return_from_handler(void);

static void use(int signal) {
    const struct kernel_action wanted = {count, 0x04000000, return_from_handler, 1UL << (SIGUSR1 - 1)};
    struct kernel_action had;
    struct kernel_action has;
    memset(&had, 1, sizeof had);
    seen = 0;
    MUST(syscall(SYS_rt_sigaction, signal, &wanted, &had, 8) == 0);
    MUST(syscall(SYS_rt_sigaction, signal, NULL, &has, 8) == 0);
    printf("%d: was %s, is %s\n", signal, had.handler == SIG_DFL ? "default" : "another",
           memcmp(&has, &wanted, sizeof has) == 0 ? "what was set" : "another");
    errno = 0;
    printf("wrong addresses: %ld", syscall(SYS_rt_sigaction, signal, (void*)8, NULL, 8));
    printf(" %d", errno);
    printf(" %ld", syscall(SYS_rt_sigaction, signal, NULL, (void*)8, 8));
    printf(" %d, a wrong size: %ld", errno, syscall(SYS_rt_sigaction, signal, NULL, &has, 16));
    printf(" %d\n", errno);
    burn(60);
    kill(getpid(), signal);
    burn(60);
    printf("handled %d\n", (int)seen);
    MUST(syscall(SYS_rt_sigaction, signal, &had, NULL, 8) == 0);
}

int main(void) {
    use(SIGURG);
    use(SIGPROF);
    burn(60);
    return 0;
}
