// Programs that have no name: a copy of this one in a memory file, by fexecve and by execveat, the file closed on
// exec; with no environment.
#include "../burn.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int copy_of_this(void) {
    const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = memfd_create("copy", MFD_CLOEXEC);
    char bytes[65536];
    MUST(from >= 0 && to >= 0);
    for (ssize_t got; (got = read(from, bytes, sizeof bytes)) > 0;) {
        MUST(write(to, bytes, (size_t)got) == got);
    }
    close(from);
    return to;
}

int main(int argc, char** argv) {
    burn(15);
    if (argc > 1) {
        printf("%s %s\n", argv[0], argv[1]);
        return 6;
    }
    for (int way = 0; way < 3; ++way) {
        const pid_t child = fork();
        if (child == 0) {
            char* words[] = {"nameless", "runs", NULL};
            char* nothing[] = {NULL};
            const int file = copy_of_this();
            if (way == 0) {
                fexecve(file, words, environ);
            } else if (way == 1) {
                syscall(SYS_execveat, file, "", words, environ, 0x1000);
            } else {
                clearenv();
                fexecve(file, words, nothing);
            }
            _exit(98);
        }
        int status = 0;
        MUST(waitpid(child, &status, 0) == child);
        printf("%d\n", WEXITSTATUS(status));
        fflush(stdout);
    }
    return 0;
}
