// User, process and mount namespaces of its own where the kernel lets it (the same with and without): the first
// process of one computes and forks.
#include "../burn.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    burn(10);
    fflush(stdout);
    const pid_t outer = fork();
    if (outer == 0) {
        const int result = unshare(CLONE_NEWUSER | CLONE_NEWPID);
        printf("unshare: %d %d\n", result, result == 0 ? 0 : errno);
        fflush(stdout);
        const pid_t inner = fork();
        if (inner == 0) {
            burn(10);
            printf("its number is 1: %d\n", getpid() == 1);
            fflush(stdout);
            if (fork() == 0) {
                burn(10);
                _exit(5);
            }
            int status = 0;
            wait(&status);
            _exit(WEXITSTATUS(status) + 1);
        }
        int status = 0;
        MUST(waitpid(inner, &status, 0) == inner);
        _exit(WEXITSTATUS(status) + 1);
    }
    int status = 0;
    MUST(waitpid(outer, &status, 0) == outer);
    printf("ended with %d\n", WEXITSTATUS(status));
    return 0;
}
