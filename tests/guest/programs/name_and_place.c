// Names its threads, reads the names back, and sees its own arguments, working directory, umask, limits and signal
// actions.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void* named(void* name) {
    char seen[16];
    pthread_setname_np(pthread_self(), name);
    burn(20);
    pthread_getname_np(pthread_self(), seen, sizeof seen);
    printf("thread %s\n", seen);
    return NULL;
}

int main(int argc, char** argv) {
    char seen[16] = "";
    struct rlimit files;
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, named, "first-worker") == 0 && pthread_join(thread, NULL) == 0);
    MUST(pthread_create(&thread, NULL, named, "second-worker") == 0 && pthread_join(thread, NULL) == 0);
    MUST(prctl(PR_SET_NAME, "renamed") == 0 && prctl(PR_GET_NAME, seen) == 0);
    burn(20);
    getrlimit(RLIMIT_NOFILE, &files);
    printf("%s, %d arguments, umask %o, %lu files, nice %d\n", seen, argc, umask(0), (unsigned long)files.rlim_cur,
           getpriority(PRIO_PROCESS, 0));
    for (int number = 1; number < 32; ++number) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL) {
            printf("signal %d is %s\n", number, action.sa_handler == SIG_IGN ? "ignored" : "handled");
        }
    }
    return argv[0] == NULL;
}
