// Job control: children that stop and go on, and a parent that is told of every step.
#include "../burn.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; ++i) {
            burn(20);
            raise(SIGSTOP);  // another stop signal would not stop an orphaned process group
        }
        burn(20);
        _exit(7);
    }
    for (int i = 0; i < 5; ++i) {
        int status = 0;
        MUST(waitpid(child, &status, WUNTRACED) == child);
        printf("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
        MUST(kill(child, SIGCONT) == 0);
        MUST(waitpid(child, &status, WCONTINUED) == child);
        printf("continued %d\n", WIFCONTINUED(status));
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    printf("exit %d\n", WEXITSTATUS(status));
    burn(100);
    return 0;
}
