// Holds record locks (fcntl) on its own executable and on its C library, as programs do that may run only once. Such
// a lock is gone as soon as the process closes any descriptor of that file: whoever reads these files must not take
// them.
#include "../burn.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int lock(const char* path) {
    const struct flock all = {.l_type = F_RDLCK};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    MUST(file >= 0 && fcntl(file, F_SETLK, &all) == 0);
    return file;
}

// As another process sees it, which the lock keeps from writing.
static const char* held(int file) {
    struct flock writing = {.l_type = F_WRLCK};
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        _exit(fcntl(file, F_GETLK, &writing) != 0 ? 98 : writing.l_type == F_RDLCK && writing.l_pid == getppid());
    }
    MUST(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status) == 1 ? "held" : "lost";
}

int main(int argc, char** argv) {
    if (argc > 1) {
        burn(5);
        return 0;
    }
    const struct link_map* library = NULL;
    void* handle = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
    MUST(handle != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0);
    const int files[2] = {lock("/proc/self/exe"), lock(library->l_name)};
    burn(100);
    printf("computed: %s %s\n", held(files[0]), held(files[1]));
    char* words[] = {argv[0], "again", NULL};
    pid_t child = 0;
    int status = 0;
    MUST(posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0);
    MUST(waitpid(child, &status, 0) == child);
    printf("started itself: %s %s\n", held(files[0]), held(files[1]));
    return WEXITSTATUS(status);
}
