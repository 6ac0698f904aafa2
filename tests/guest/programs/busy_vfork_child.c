// A vfork child that does much before it becomes another program, on its parent's memory, as shells and job starters
// have it: it computes, waits, lists and closes descriptors, changes masks and handlers, fails at exec. The parent
// finds nothing changed but what the child has written.
#include "../burn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int done;
static volatile int written;
static volatile sig_atomic_t handled;

static void on_signal(int number) {
    (void)number;
    handled = handled + 1;
}

static void* compute(void* unused) {
    while (!done) {
        burn(1);
    }
    return unused;
}

__attribute__((noinline)) static void in_child(const char* program) {
    char entries[4096];
    sigset_t all;
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct pollfd polled = {.fd = -1};
    burn(10);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGURG, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    poll(&polled, 1, 3);
    prctl(PR_SET_NAME, "vforked", 0, 0, 0);
    const int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    syscall(SYS_getdents64, folder, entries, sizeof entries);
    close_range(3, ~0U, 0);
    burn(10);
    char* words[] = {"none", NULL};
    written = execve("/nowhere", words, NULL) == -1 && errno == ENOENT ? 5 : 6;
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    char* others[] = {"true", NULL};
    if (program != NULL) {
        execv(program, others);
    }
    _exit(9);
}

int main(void) {
    pthread_t thread;
    sigset_t mask;
    const struct sigaction action = {.sa_handler = on_signal};
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    MUST(file >= 0 && sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGURG, &action, NULL) == 0);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    MUST(sigprocmask(SIG_SETMASK, &mask, NULL) == 0 && pthread_create(&thread, NULL, compute, NULL) == 0);
    for (volatile int i = 0; i < 4; ++i) {
        int status = 0;
        written = 0;
        const pid_t child = vfork();
        if (child == 0) {
            in_child(i % 2 == 0 ? "/bin/true" : NULL);
        }
        MUST(waitpid(child, &status, 0) == child);
        MUST(sigprocmask(SIG_SETMASK, NULL, &mask) == 0 && fcntl(file, F_GETFD) == FD_CLOEXEC);
        MUST(raise(SIGURG) == 0 && raise(SIGUSR1) == 0);
        printf("%d, written %d, handled %d, masked %d %d\n", WEXITSTATUS(status), written, (int)handled,
               sigismember(&mask, SIGUSR2), sigismember(&mask, SIGURG));
        burn(10);
    }
    done = 1;
    MUST(pthread_join(thread, NULL) == 0);
    return 0;
}
