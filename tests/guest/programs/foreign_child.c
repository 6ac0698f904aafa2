// Starts a program that has another dynamic loader, which cannot have the monitor: it finds the LD_PRELOAD that this
// program was given, and nothing is written to the error stream.
#include "../burn.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void await(const char* how, pid_t child) {
    int status = 0;
    MUST(child > 0 && waitpid(child, &status, 0) == child);
    printf("%s: status %d\n", how, status);
    fflush(stdout);
}

int main(void) {
    extern char** environ;
    char self[PATH_MAX] = "";
    char foreign[PATH_MAX + 32];
    char script[] = "/tmp/kymo-script-XXXXXX";
    char line[PATH_MAX + 64];
    MUST(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(foreign, sizeof foreign, "%s/foreign.so", dirname(self));
    char* arguments[] = {foreign, NULL};
    char* none[] = {NULL};
    pid_t child = 0;

    posix_spawn(&child, foreign, NULL, NULL, arguments, environ);
    await("posix_spawn", child);
    child = vfork();
    if (child == 0) {
        execve(foreign, arguments, environ);
        _exit(98);
    }
    await("vfork and execve", child);
    child = fork();
    if (child == 0) {
        execle(foreign, foreign, NULL, none);
        _exit(98);
    }
    await("execle with an empty environment", child);
    child = fork();
    if (child == 0) {
        fexecve(open(foreign, O_RDONLY), arguments, environ);
        _exit(98);
    }
    await("fexecve", child);
    child = fork();
    if (child == 0) {
        char folder[PATH_MAX + 32];
        snprintf(folder, sizeof folder, "%s", foreign);
        setenv("PATH", dirname(folder), 1);
        execlp("foreign.so", "foreign.so", NULL);
        _exit(98);
    }
    await("execlp", child);
    const int file = mkstemp(script);
    MUST(file >= 0 && fchmod(file, 0700) == 0);
    snprintf(line, sizeof line, "#! %s\n", foreign);
    MUST(write(file, line, strlen(line)) == (ssize_t)strlen(line) && close(file) == 0);
    char* script_arguments[] = {script, NULL};
    posix_spawn(&child, script, NULL, NULL, script_arguments, environ);
    await("a script", child);
    unlink(script);
    burn(30);
    return 0;
}
