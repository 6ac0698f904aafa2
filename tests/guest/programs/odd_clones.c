// clone and clone3 with flags that the C library does not use: a child that shares memory but is a process, one that
// shares descriptors, one with a pidfd and no signal at its end.
#include "../burn.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536] __attribute__((aligned(16)));
static volatile int written;
static int number;

static int writes_memory(void* value) {
    for (volatile int i = 0; i < 10000000; ++i) {
    }
    written = *(int*)value;
    return 12;
}

static int opens(void* unused) {
    (void)unused;
    number = open("/dev/null", O_RDONLY);
    return number >= 0 ? 13 : 14;
}

static int told(pid_t child, int options) {
    int status = 0;
    MUST(waitpid(child, &status, options) == child);
    return WEXITSTATUS(status);
}

int main(void) {
    int value = 77, pidfd = -1;
    burn(10);
    pid_t child = clone(writes_memory, stack + sizeof stack, CLONE_VM | SIGCHLD, &value);
    MUST(child > 0);
    burn(10);
    printf("shares memory: %d", told(child, 0));
    printf(" %d\n", written);

    child = clone(opens, stack + sizeof stack, CLONE_FILES | CLONE_FS | SIGCHLD, NULL);
    MUST(child > 0);
    const int ended = told(child, 0);
    printf("shares descriptors: %d, the next is %d\n", ended, open("/dev/null", O_RDONLY));

    struct clone_args arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.flags = CLONE_PIDFD;
    arguments.pidfd = (uint64_t)(uintptr_t)&pidfd;
    child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) {
        for (volatile int i = 0; i < 10000000; ++i) {
        }
        syscall(SYS_exit_group, 15);
    }
    MUST(child > 0);
    struct pollfd polled = {.fd = pidfd, .events = POLLIN};
    MUST(poll(&polled, 1, 20000) == 1);
    printf("by its descriptor: %d\n", told(child, __WALL));
    return 0;
}
