// Looks at its own open descriptors and threads by readdir and by getdents64, the C library's and the kernel's, also
// with hardly any room: as many as it has made itself, with the numbers that they would have.
#include "../burn.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int by_readdir(const char* path) {
    int count = 0;
    DIR* folder = opendir(path);
    MUST(folder != NULL);
    for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    MUST(closedir(folder) == 0);
    return count;
}

static int by_bare_calls(const char* path, int kernel, size_t room) {
    char entries[4096] __attribute__((aligned(8)));
    int count = 0;
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    MUST(folder >= 0);
    for (long got;
         (got = kernel ? syscall(SYS_getdents64, folder, entries, room) : getdents64(folder, entries, room)) > 0;) {
        for (long at = 0; at < got; at += ((struct dirent64*)(entries + at))->d_reclen) {
            count += ((struct dirent64*)(entries + at))->d_name[0] != '.';
        }
    }
    MUST(close(folder) == 0);
    return count;
}

static void* tell(void* where) {
    static const char* const kFolders[] = {"/proc/self/fd", "/proc/thread-self/fd", "/proc/self/fdinfo",
                                           "/proc/self/task"};
    burn(20);
    for (int i = 0; i < 4; ++i) {
        printf("%s, %s: %d %d %d %d\n", (const char*)where, kFolders[i], by_readdir(kFolders[i]),
               by_bare_calls(kFolders[i], 0, 4096), by_bare_calls(kFolders[i], 1, 4096),
               by_bare_calls(kFolders[i], 1, 40));
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    MUST(open("/dev/null", O_RDONLY) >= 0 && open("/dev/null", O_RDONLY) >= 0);
    tell("main");
    MUST(pthread_create(&thread, NULL, tell, "thread") == 0 && pthread_join(thread, NULL) == 0);
    return 0;
}
