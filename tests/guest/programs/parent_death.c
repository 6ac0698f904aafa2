// A child that asks for a signal at its parent's end, and a program that takes over orphans: both see their own
// parents and children, and nobody else's.
#include "../burn.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    MUST(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    int ends[2];
    MUST(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            const pid_t parent = getppid();
            int number = 0;
            MUST(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0);
            MUST(write(ends[1], "r", 1) == 1);
            burn(30);
            MUST(sigwait(&set, &number) == 0);
            burn(30);
            _exit(number == SIGUSR1 && getppid() != parent ? 5 : 6);
        }
        char ready = 0;
        MUST(read(ends[0], &ready, 1) == 1);
        burn(50);
        _exit(4);
    }
    int first = 0, second = 0;
    MUST(waitpid(child, &first, 0) == child);
    const pid_t orphan = wait(&second);
    printf("child %d, orphan %d\n", WEXITSTATUS(first), orphan > 0 ? WEXITSTATUS(second) : -1);
    errno = 0;
    const pid_t nobody = wait(NULL);
    printf("no others: %d\n", nobody == -1 && errno == ECHILD);
    burn(100);
    return 0;
}
