// Starts programs where Kymo's library is not to be seen: in another root folder. They must start as they do without
// it, and the dynamic loader must have nothing to say.
#include "../burn.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void copy(const char* from, const char* to) {
    char part[65536];
    ssize_t got = 0;
    const int in = open(from, O_RDONLY);
    const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    MUST(in >= 0 && out >= 0);
    while ((got = read(in, part, sizeof part)) > 0) {
        MUST(write(out, part, (size_t)got) == got);
    }
    close(in);
    close(out);
}

// This program's C library and loader are put where it looks for them, and all of the way there.
static void furnish(const char* root) {
    char line[PATH_MAX + 100];
    FILE* maps = fopen("/proc/self/maps", "r");
    MUST(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        char* path = strchr(line, '/');
        char to[2 * PATH_MAX];
        if (path == NULL || (strstr(path, "/libc") == NULL && strstr(path, "/ld-linux") == NULL)) {
            continue;
        }
        path[strcspn(path, "\n")] = 0;
        const char* const folders[] = {"/lib", "/lib64", "/lib/x86_64-linux-gnu"};
        for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
            snprintf(to, sizeof to, "%s%s", root, folders[i]);
            mkdir(to, 0755);
            snprintf(to, sizeof to, "%s%s%s", root, folders[i], strrchr(path, '/'));
            copy(path, to);
        }
    }
    fclose(maps);
}

static void remove_all(const char* root) {
    char command[PATH_MAX + 32];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    MUST(system(command) == 0);
}

int main(int argc, char** argv) {
    char root[] = "/tmp/kymo-root-XXXXXX";
    char path[PATH_MAX];
    if (argc == 2 && strcmp(argv[1], "inside") == 0) {
        burn(30);
        printf("inside: LD_PRELOAD is %s\n", getenv("LD_PRELOAD") == NULL ? "not set" : getenv("LD_PRELOAD"));
        return 3;
    }
    MUST(mkdtemp(root) != NULL);
    snprintf(path, sizeof path, "%s/program", root);
    copy("/proc/self/exe", path);
    furnish(root);
    for (int way = 0; way < 3; ++way) {
        const pid_t child = fork();
        if (child == 0) {
            char* arguments[] = {"/program", "inside", NULL};
            char* none[] = {NULL};
            extern char** environ;
            if (geteuid() != 0) {
                unshare(CLONE_NEWUSER);
            }
            if (chroot(root) != 0 || chdir("/") != 0) {
                _exit(4);  // this user may not: no less so with Kymo
            }
            burn(way == 2 ? 20 : 0);
            way == 1 ? execve(arguments[0], arguments, none) : execve(arguments[0], arguments, environ);
            _exit(98);
        }
        int status = 0;
        MUST(waitpid(child, &status, 0) == child);
        printf("status %d\n", WEXITSTATUS(status));
        fflush(stdout);
    }
    remove_all(root);
    burn(30);
    return 0;
}
