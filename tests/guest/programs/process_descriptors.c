// Processes by descriptor: clone3 and pidfd_open, polled, signalled and waited for, and looked at before they are
// taken.
#include "../burn.h"

#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int by_clone = -1;
    struct clone_args about = {.flags = CLONE_PIDFD, .pidfd = (unsigned long)&by_clone, .exit_signal = SIGCHLD};
    const long first = syscall(SYS_clone3, &about, sizeof about);
    if (first == 0) {
        burn(40);
        syscall(SYS_exit_group, 3);
    }
    MUST(first > 0);
    const pid_t second = fork();
    if (second == 0) {
        burn(40);
        pause();
        _exit(1);
    }
    const int by_number = (int)syscall(SYS_pidfd_open, second, 0);
    MUST(by_number >= 0);
    struct pollfd polled = {.fd = by_clone, .events = POLLIN};
    MUST(poll(&polled, 1, 20000) == 1);
    siginfo_t info = {0};
    MUST(waitid(P_PIDFD, (id_t)by_clone, &info, WEXITED | WNOWAIT) == 0);
    printf("looked at: code %d, status %d\n", info.si_code == CLD_EXITED, info.si_status);
    MUST(waitid(P_PIDFD, (id_t)by_clone, &info, WEXITED) == 0 && info.si_pid == first);
    MUST(syscall(SYS_pidfd_send_signal, by_number, SIGTERM, NULL, 0) == 0);
    MUST(waitid(P_PIDFD, (id_t)by_number, &info, WEXITED) == 0);
    printf("signalled: code %d, status %d\n", info.si_code == CLD_KILLED, info.si_status);
    burn(100);
    return 0;
}
