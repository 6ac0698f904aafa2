// Sets LD_PRELOAD itself for the programs that it starts, takes it away, or starts them without any environment; each
// finds the library that it was to have, once, and what it starts in turn does, too.
#include "../burn.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int count(struct dl_phdr_info* image, size_t size, void* found) {
    const char* name = strrchr(image->dlpi_name, '/');
    (void)size;
    *(int*)found += name != NULL && strcmp(name, "/libguest_plugin.so") == 0;
    return 0;
}

static void tell(const char* how) {
    int found = 0, variables = 0;
    dl_iterate_phdr(count, &found);
    for (char** variable = environ; *variable != NULL; ++variable) {
        variables += strncmp(*variable, "GUEST_", 6) == 0;
    }
    printf("%s: the library %d times, %d variables\n", how, found, variables);
    fflush(stdout);
}

// To be found beside the program.
static const char* library(void) {
    static char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    MUST(length > 0);
    strcpy(strrchr(path, '/'), "/libguest_plugin.so");
    return path;
}

int main(int argc, char** argv) {
    static const char* const kWays[] = {"set", "empty", "unset", "cleared", "bare"};
    burn(10);
    if (argc > 2) {
        tell(argv[1]);
        burn(10);
        return 0;
    }
    if (argc > 1) {
        tell(argv[1]);
        execl("/proc/self/exe", argv[0], argv[1], "again", (char*)NULL);
        return 98;
    }
    MUST(setenv("GUEST_A", "a", 1) == 0);
    for (int way = 0; way < 5; ++way) {
        const pid_t child = fork();
        if (child == 0) {
            char *words[] = {argv[0], (char*)kWays[way], NULL}, *none[] = {NULL};
            if (way == 0) {
                setenv("LD_PRELOAD", library(), 1);
            } else if (way == 1) {
                setenv("LD_PRELOAD", "", 1);
            } else if (way == 2) {
                unsetenv("LD_PRELOAD");
            } else if (way == 3) {
                clearenv();
            }
            execve("/proc/self/exe", words, way == 4 ? none : environ == NULL ? none : environ);
            _exit(98);
        }
        int status = 0;
        MUST(waitpid(child, &status, 0) == child);
        printf("%d\n", WEXITSTATUS(status));
        fflush(stdout);
    }
    return 0;
}
