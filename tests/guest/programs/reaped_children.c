// Children that end while the parent computes: its handler of SIGCHLD reaps them all; then with SIGCHLD ignored, none
// is left to wait for; and stops and continuations are told.
#include "../burn.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t reaped, sum;

static void on_child(int number) {
    const int error = errno;
    int status = 0;
    (void)number;
    while (waitpid(-1, &status, WNOHANG) > 0) {
        reaped = reaped + 1;
        sum = sum + WEXITSTATUS(status);
    }
    errno = error;
}

int main(void) {
    const struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    MUST(sigaction(SIGCHLD, &action, NULL) == 0);
    for (int i = 0; i < 20; ++i) {
        if (fork() == 0) {
            burn(1);
            _exit(i);
        }
    }
    for (int i = 0; i < 20000 && reaped < 20; ++i) {
        burn(1);
    }
    printf("reaped %d, sum %d\n", (int)reaped, (int)sum);
    MUST(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
    for (int i = 0; i < 5; ++i) {
        if (fork() == 0) {
            burn(1);
            _exit(i);
        }
    }
    const int none = wait(NULL) < 0 && errno == ECHILD;
    MUST(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
    const pid_t child = fork();
    if (child == 0) {
        burn(5);
        raise(SIGSTOP);
        burn(5);
        _exit(9);
    }
    int status = 0;
    MUST(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    MUST(kill(child, SIGCONT) == 0 && waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
    MUST(waitpid(child, &status, 0) == child);
    printf("none to wait for: %d, stopped, continued, ended with %d\n", none, WEXITSTATUS(status));
    return 0;
}
