// vfork, whose return address leaves the stack for a while; posix_spawn; system.
#define _DEFAULT_SOURCE
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) void scenario(void) {
    char* const arguments[] = {"true", NULL};
    char* const environment[] = {NULL};
    int status = 0;
    pid_t child = vfork();
    if (child == 0) {
        _exit(3);
    }
    waitpid(child, &status, 0);
    sink = status;
    if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment) == 0) {
        waitpid(child, &status, 0);
    }
    sink = system("exit 2");
}

int main(void) {
    scenario();
    return 0;
}
