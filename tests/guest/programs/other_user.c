// Gives its rights up for good, where it has any: as another user it goes on computing, makes threads and children,
// and leaves a limit's worth of processor time alone (SIGXCPU comes when it should).
#include "../burn.h"

#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(10);
    return getuid() == 65534 ? unused : NULL;
}

static volatile sig_atomic_t told;
static void on_limit(int number) {
    told = number;
}

int main(void) {
    pthread_t thread;
    void* result = NULL;
    const int status =
        geteuid() == 0 ? setgroups(0, NULL) | setresgid(65534, 65534, 65534) | setresuid(65534, 65534, 65534) : 0;
    MUST(status == 0);
    burn(20);
    MUST(pthread_create(&thread, NULL, compute, &result) == 0 && pthread_join(thread, &result) == 0);
    printf("of the same user: %d\n", result == &result);
    fflush(stdout);
    if (fork() == 0) {
        const struct rlimit second = {1, 3};
        MUST(signal(SIGXCPU, on_limit) != SIG_ERR && setrlimit(RLIMIT_CPU, &second) == 0);
        burn(100);  // a second is not used up
        _exit(told == 0 ? 4 : 5);
    }
    int ended = 0;
    MUST(wait(&ended) > 0);
    printf("within its limit: %d\n", WEXITSTATUS(ended));
    return 0;
}
