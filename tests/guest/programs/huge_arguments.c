// Command lines and environments as long as they may be, and none at all.
#include "../burn.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int run(char* const arguments[], char* const environment[]) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execve("/proc/self/exe", arguments, environment);
        _exit(98);
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char** arguments) {
    if (count != 1 || getenv("KYMO_TEST_AGAIN") != NULL) {
        size_t bytes = 0, variables = 0;
        for (int i = 1; i < count; ++i) {
            bytes += strlen(arguments[i]);
        }
        for (char** variable = environ; *variable != NULL; ++variable) {
            variables += strncmp(*variable, "KYMO_TEST_", 10) == 0;
        }
        printf("%d arguments, %zu bytes, %zu variables of the test\n", count, bytes, variables);
        burn(60);
        return 0;
    }
    static char longest[120000];
    memset(longest, 'a', sizeof longest - 1);
    char name[] = "again";
    char* long_ones[] = {name, longest, longest, longest, NULL};
    printf("status %d\n", run(long_ones, environ));

    static char* many[5001];
    for (int i = 0; i < 5000; ++i) {
        many[i] = name;
    }
    printf("status %d\n", run(many, environ));

    static char space[3000][32];
    static char* variables[4000];
    int at = 0;
    for (char** variable = environ; *variable != NULL && at < 900; ++variable) {
        variables[at++] = *variable;
    }
    for (int i = 0; i < 3000; ++i) {
        snprintf(space[i], sizeof space[i], i == 0 ? "KYMO_TEST_AGAIN=1" : "KYMO_TEST_%d=x", i);
        variables[at++] = space[i];
    }
    variables[at] = NULL;
    char* only[] = {name, NULL};
    printf("status %d\n", run(only, variables));
    burn(60);
    return 0;
}
