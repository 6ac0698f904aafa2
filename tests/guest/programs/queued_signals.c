// SIGURG sent with values, to the process and to a thread: all of them arrive, with what was sent, in the order that
// the kernel keeps; one a kind may wait at a time.
#include "../burn.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t count, sum, wrong;

static void on_signal(int number, siginfo_t* info, void* context) {
    (void)context;
    count = count + 1;
    sum = sum + info->si_value.sival_int;
    wrong = wrong + (number != SIGURG || info->si_code != SI_QUEUE || info->si_pid != getpid());
}

int main(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigset_t urgent;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    MUST(sigaction(SIGURG, &action, NULL) == 0);
    for (int i = 1; i <= 200; ++i) {
        MUST(sigqueue(getpid(), SIGURG, (union sigval){.sival_int = i}) == 0);
        burn(1);
    }
    printf("by sigqueue: %d, sum %d, wrong %d\n", (int)count, (int)sum, (int)wrong);
    count = sum = 0;
    for (int i = 1; i <= 100; ++i) {
        siginfo_t info = {.si_signo = SIGURG, .si_code = SI_QUEUE};
        info.si_pid = getpid();
        info.si_uid = getuid();
        info.si_value.sival_int = i;
        MUST(syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGURG, &info) == 0);
        burn(1);
    }
    printf("to the thread: %d, sum %d, wrong %d\n", (int)count, (int)sum, (int)wrong);
    MUST(sigprocmask(SIG_BLOCK, &urgent, NULL) == 0);
    MUST(sigqueue(getpid(), SIGURG, (union sigval){.sival_int = 7}) == 0);
    burn(20);
    siginfo_t info;
    MUST(sigwaitinfo(&urgent, &info) == SIGURG);
    printf("waited for: %d, code %d\n", info.si_value.sival_int, info.si_code == SI_QUEUE);
    burn(50);
    return 0;
}
