// exec that fails, in every way, also with threads at work and in a child: the process goes on as it was, and is told
// why; and what has no format is given to the shell.
#include "../burn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static atomic_int done;

static void* compute(void* unused) {
    while (!done) {
        burn(1);
    }
    return unused;
}

static void make(const char* name, const char* text, mode_t mode) {
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    MUST(fchmod(file, mode) == 0 && close(file) == 0);
}

int main(void) {
    static const char* const kWrong[] = {"",
                                         "/nowhere/to/be/found",
                                         ".",
                                         "./closed",
                                         "./rubbish",
                                         "./no_loader",
                                         "nowhere_in_the_path",
                                         "./closed/below"};
    char* words[] = {"failed", "exec", NULL};
    pthread_t thread;
    pid_t child = 0;
    make("closed", "#!/bin/sh\n", 0600);
    make("rubbish",
         "\x7f"
         "ELF, it says\n",
         0700);
    make("no_loader", "#!/nowhere/at/all\n", 0700);
    make("plain", "echo \"plain $1\"; exit 4\n", 0700);
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
    for (int i = 0; i < 8; ++i) {
        MUST(execv(kWrong[i], words) == -1);
        const int by_path = errno;
        errno = 0;
        MUST(strcmp(kWrong[i], "./rubbish") == 0 || execvp(kWrong[i], words) == -1);  // the shell would be given it
        const int found = errno;
        const int spawned = posix_spawn(&child, kWrong[i], NULL, NULL, words, environ);
        burn(8);
        printf("%s: %s, %s, %s\n", kWrong[i], strerrorname_np(by_path), strerrorname_np(found),
               strerrorname_np(spawned));
    }
    char** volatile nowhere = (char**)8;
    MUST(execve("/bin/true", nowhere, environ) == -1);
    printf("bad words: %s\n", strerrorname_np(errno));
    fflush(stdout);
    child = fork();
    if (child == 0) {
        MUST(execv("./plain", words) == -1 && errno == ENOEXEC);
        burn(10);
        execvp("./plain", words);
        _exit(98);
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    done = 1;
    MUST(pthread_join(thread, NULL) == 0);
    MUST(unlink("closed") == 0 && unlink("rubbish") == 0 && unlink("no_loader") == 0 && unlink("plain") == 0);
    printf("%d\n", WEXITSTATUS(status));
    return WEXITSTATUS(status);
}
