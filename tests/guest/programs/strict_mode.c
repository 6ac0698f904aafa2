// Strict mode: read, write, _exit and sigreturn, and not even the time stamp counter.
#include "../burn.h"
#include "seccomp.h"

#include <sys/wait.h>

static void leave(int status) {
    for (;;) {
        syscall(SYS_exit, status);
    }
}

int main(void) {
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
        burn(30);
        MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
        uint64_t x = 1;
        for (int i = 0; i < 100000000; ++i) {
            x = x * 6364136223846793005ULL + 1442695040888963407ULL;
            __asm__ volatile("" : "+r"(x));
        }
        const char text[] = "strict\n";
        leave(x != 0 && write(1, text, sizeof text - 1) == sizeof text - 1 ? 0 : 1);
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    printf("%s %d\n", WIFEXITED(status) ? "ended with" : "killed by",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return 0;
}
