// posix_spawn with the program's environment and with an empty one, popen and system.
#include "../burn.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int spawned(char** environment) {
    char* words[] = {"sh", "-c", "exit 9", NULL};
    pid_t child = 0;
    int status = 0;
    MUST(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environment) == 0);
    MUST(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}

int main(void) {
    char* nothing[] = {NULL};
    char line[64] = "";
    burn(30);
    printf("own environment %d, empty environment %d\n", spawned(environ), spawned(nothing));
    FILE* pipe = popen("echo through a pipe", "r");
    MUST(pipe != NULL && fgets(line, sizeof line, pipe) != NULL);
    printf("%sclosed with %d\n", line, WEXITSTATUS(pclose(pipe)));
    burn(30);
    printf("system %d\n", WEXITSTATUS(system("exit 11")));
    return 0;
}
