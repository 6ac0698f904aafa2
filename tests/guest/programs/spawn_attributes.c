// posix_spawn with attributes and file actions, chains of vfork, and children that are killed: what the child has is
// what was asked for.
#include "../burn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int told(pid_t child) {
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char** argv) {
    sigset_t set, now;
    if (argc > 1) {
        struct sigaction action;
        char byte = 0;
        burn(5);
        MUST(sigprocmask(SIG_SETMASK, NULL, &now) == 0 && sigaction(SIGUSR1, NULL, &action) == 0);
        const int same = getpgrp() == getpid() && sigismember(&now, SIGUSR2) && sigismember(&now, SIGURG) &&
                         !sigismember(&now, SIGTERM);
        return same && action.sa_handler == SIG_DFL && read(9, &byte, 1) == 0 && write(3, &byte, 1) < 0 ? 21 : 22;
    }
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGURG);
    MUST(signal(SIGUSR1, SIG_IGN) != SIG_ERR && posix_spawnattr_init(&attributes) == 0 &&
         posix_spawn_file_actions_init(&actions) == 0);
    MUST(posix_spawnattr_setsigmask(&attributes, &set) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    MUST(posix_spawnattr_setsigdefault(&attributes, &set) == 0 && posix_spawnattr_setpgroup(&attributes, 0) == 0);
    MUST(posix_spawnattr_setflags(&attributes,
                                  POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP) == 0);
    MUST(posix_spawn_file_actions_addopen(&actions, 9, "/dev/null", O_RDONLY, 0) == 0);
    MUST(posix_spawn_file_actions_addclose(&actions, 3) == 0);
    char* words[] = {argv[0], "child", NULL};
    pid_t child = 0;
    burn(10);
    MUST(posix_spawn(&child, argv[0], &actions, &attributes, words, environ) == 0);
    printf("as asked: %d\n", told(child));
    printf("not there: %d\n", posix_spawn(&child, "/nonexistent/program", NULL, NULL, words, environ));

    volatile int sum = 0;
    for (int i = 0; i < 20; ++i) {
        child = vfork();
        if (child == 0) {
            const pid_t grandchild = vfork();
            if (grandchild == 0) {
                execl("/bin/true", "true", (char*)NULL);
                _exit(1);
            }
            int status = 0;
            waitpid(grandchild, &status, 0);
            sum = sum + 1;
            _exit(status == 0 ? 3 : 4);
        }
        sum = sum + told(child);
        burn(1);
    }
    printf("chains of vfork: %d\n", sum);
    child = fork();
    if (child == 0) {
        burn(10);
        raise(SIGKILL);
    }
    printf("killed: %d\n", told(child));
    return 0;
}
