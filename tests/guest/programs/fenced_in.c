// Fences itself in (Landlock): from now on it may open nothing but what it needs to run. Children, threads and
// programs that it starts work as they do without Kymo, whose folder is outside, and the dynamic loader has nothing
// to say.
#include "../burn.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(10);
    return unused;
}

static void allow(int rules, const char* path, uint64_t what) {
    struct landlock_path_beneath_attr below = {.allowed_access = what, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (below.parent_fd >= 0) {
        MUST(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0);
        close(below.parent_fd);
    }
}

int main(int argc, char** argv) {
    const uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
    struct landlock_ruleset_attr all = {.handled_access_fs = (1U << 13U) - 1};
    burn(15);
    if (argc > 1) {
        return 6;
    }
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules >= 0) {
        allow(rules, "/usr", kRead | LANDLOCK_ACCESS_FS_READ_DIR);
        allow(rules, "/lib", kRead);
        allow(rules, "/lib64", kRead);
        allow(rules, "/proc/self/exe", kRead);
        MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
        MUST(syscall(SYS_landlock_restrict_self, rules, 0) == 0 && close(rules) == 0);
    }
    printf("fenced in: %d, outside: %d\n", rules >= 0, open("/etc/passwd", O_RDONLY) >= 0);
    fflush(stdout);
    for (int i = 0; i < 4; ++i) {
        pthread_t thread;
        int ends[2], status = 0;
        char said[200] = "";
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0 && pipe(ends) == 0);
        const pid_t child = fork();
        if (child == 0) {
            burn(10);
            dup2(ends[1], 2);
            if (i % 2 == 1) {
                execl("/proc/self/exe", argv[0], "again", (char*)NULL);
            }
            _exit(7);
        }
        MUST(close(ends[1]) == 0 && read(ends[0], said, sizeof said - 1) >= 0 && close(ends[0]) == 0);
        MUST(waitpid(child, &status, 0) == child);
        printf("%d, said \"%s\"\n", WEXITSTATUS(status), said);
        fflush(stdout);
    }
    return 0;
}
