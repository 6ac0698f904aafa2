// What a program sees of itself: threads and open descriptors in /proc, every signal's disposition and mask, limits,
// environment, arguments.
#include "../burn.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char** environ;

static int entries(const char* folder) {
    int count = 0;
    DIR* opened = opendir(folder);
    MUST(opened != NULL);
    for (const struct dirent* entry; (entry = readdir(opened)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(opened);
    return count;
}

static void tell(const char* where) {
    sigset_t mask;
    MUST(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    printf("%s: %d threads, %d descriptors", where, entries("/proc/self/task"), entries("/proc/self/fd"));
    for (int number = 1; number < 65; ++number) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) != 0) {
            continue;
        }
        if (action.sa_handler != SIG_DFL || action.sa_flags != 0 || sigismember(&mask, number) == 1) {
            printf(", signal %d: %d %x %d", number, action.sa_handler == SIG_IGN, (unsigned)action.sa_flags,
                   sigismember(&mask, number));
        }
    }
    puts("");
}

static void* compute(void* unused) {
    burn(20);
    tell("thread");
    return unused;
}

int main(int argc, char** argv) {
    pthread_t thread;
    struct rlimit limit;
    int preloaded = 0;
    for (char** variable = environ; *variable != NULL; ++variable) {
        preloaded += strncmp(*variable, "PATH=", 5) == 0;
    }
    printf("%d %s, %d\n", argc, strrchr(argv[0], '/') == NULL ? argv[0] : strrchr(argv[0], '/'), preloaded);
    tell("main");
    for (int which = 0; which < 16; ++which) {
        MUST(getrlimit(which, &limit) == 0);
        printf("%d: %llx %llx\n", which, (unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
    }
    burn(20);
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
    tell("main");
    return 0;
}
