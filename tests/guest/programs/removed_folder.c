// Works in a folder that is removed while it is there, and is run from a file that is removed, too: by a long path,
// by links and by scripts that name scripts.
#include "../burn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void copy_of_this(const char* path) {
    struct stat status;
    const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
              to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    MUST(from >= 0 && to >= 0 && fstat(from, &status) == 0);
    for (off_t at = 0; at < status.st_size;) {
        MUST(sendfile(to, from, &at, (size_t)(status.st_size - at)) > 0);
    }
    MUST(close(from) == 0 && close(to) == 0);
}

static void script(const char* path, const char* interpreter) {
    FILE* file = fopen(path, "we");
    MUST(file != NULL && fprintf(file, "#!%s\n", interpreter) > 0 && fclose(file) == 0 && chmod(path, 0700) == 0);
}

static void run(const char* path) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        execl(path, path, "again", (char*)NULL);
        _exit(90);
    }
    MUST(waitpid(child, &status, 0) == child);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
}

static void* compute(void* unused) {
    burn(10);
    return unused;
}

int main(int argc, char** argv) {
    char name[201], path[PATH_MAX], target[PATH_MAX];
    if (argc > 1) {
        pthread_t thread;
        burn(10);
        MUST(unlink("gone") == 0 || errno == ENOENT);
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
        return argc + (strcmp(argv[argc - 1], "again") == 0 ? 10 : 0);
    }
    memset(name, 'n', 200);
    name[200] = 0;
    MUST(mkdir("here", 0700) == 0 && chdir("here") == 0 && getcwd(path, sizeof path) != NULL);
    copy_of_this("gone");
    copy_of_this("stays");
    MUST(symlink("stays", "one") == 0 && symlink("./one", "two") == 0);
    script("first", "./two");
    script("second", "./first");
    run("./gone");
    run("./two");
    run("./second");
    int depth = 0;
    for (; strlen(path) < 3700; ++depth) {
        MUST(mkdir(name, 0700) == 0 && chdir(name) == 0);
        strcat(strcat(path, "/"), name);
    }
    copy_of_this("deep");
    run(strcat(path, "/deep"));
    run("./deep");
    MUST(unlink("deep") == 0);
    while (depth-- > 0) {
        MUST(chdir("..") == 0 && rmdir(name) == 0);
    }
    MUST(unlink("stays") == 0 && unlink("one") == 0 && unlink("two") == 0 && unlink("first") == 0 &&
         unlink("second") == 0);
    MUST(getcwd(target, sizeof target) != NULL && rmdir(target) == 0);
    MUST(getcwd(path, sizeof path) == NULL && errno == ENOENT);
    run("/proc/self/exe");
    return 0;
}
