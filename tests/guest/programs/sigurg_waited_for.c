// A program that blocks SIGURG and takes it in every way there is: sigwait, sigtimedwait, a signalfd, sigpending,
// sigsuspend, and by unblocking it; sent to a thread, to the process, and by a socket with out-of-band data.
#include "../burn.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_signal(int number) {
    (void)number;
    handled = handled + 1;
}

static sigset_t urgent;

static void* wait_for_one(void* unused) {
    int number = 0;
    MUST(sigwait(&urgent, &number) == 0);
    return number == SIGURG ? unused : NULL;
}

// Two ends of a TCP connection to ourselves: only those have urgent data.
static void connect_pair(int ends[2]) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof place;
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    MUST(listening >= 0 && bind(listening, (struct sockaddr*)&place, sizeof place) == 0 && listen(listening, 1) == 0);
    MUST(getsockname(listening, (struct sockaddr*)&place, &length) == 0);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    MUST(connect(ends[0], (struct sockaddr*)&place, sizeof place) == 0);
    ends[1] = accept(listening, NULL, NULL);
    MUST(ends[1] >= 0 && close(listening) == 0);
}

int main(void) {
    struct signalfd_siginfo read_info;
    const struct timespec second = {.tv_sec = 20};
    siginfo_t info;
    sigset_t pending, none;
    int number = 0;
    sigemptyset(&none);
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    MUST(pthread_sigmask(SIG_BLOCK, &urgent, NULL) == 0);
    burn(120);  // of all that this thread computes, what is sampled for sure

    MUST(raise(SIGURG) == 0);
    burn(20);
    MUST(sigpending(&pending) == 0);
    printf("pending: %d\n", sigismember(&pending, SIGURG));
    MUST(sigwait(&urgent, &number) == 0);
    printf("sigwait: %s\n", number == SIGURG ? "SIGURG" : "another");

    MUST(kill(getpid(), SIGURG) == 0);
    burn(20);
    MUST(sigtimedwait(&urgent, &info, &second) == SIGURG);
    printf("sigtimedwait: by kill %d, of this process %d\n", info.si_code == SI_USER, info.si_pid == getpid());

    const int file = signalfd(-1, &urgent, SFD_CLOEXEC);
    MUST(kill(getpid(), SIGURG) == 0);
    struct pollfd polled = {.fd = file, .events = POLLIN};
    MUST(poll(&polled, 1, 20000) == 1);
    MUST(read(file, &read_info, sizeof read_info) == sizeof read_info);
    printf("signalfd: %s\n", read_info.ssi_signo == SIGURG ? "SIGURG" : "another");
    close(file);

    pthread_t waiter;
    void* result = NULL;
    MUST(pthread_create(&waiter, NULL, wait_for_one, &urgent) == 0);
    burn(50);
    MUST(kill(getpid(), SIGURG) == 0);
    MUST(pthread_join(waiter, &result) == 0);
    printf("a thread in sigwait: %s\n", result == &urgent ? "SIGURG" : "another");

    MUST(signal(SIGURG, on_signal) == SIG_DFL);
    MUST(raise(SIGURG) == 0 && raise(SIGURG) == 0);
    burn(20);
    printf("handled while blocked: %d\n", (int)handled);
    sigsuspend(&none);
    printf("handled in sigsuspend: %d\n", (int)handled);
    MUST(raise(SIGURG) == 0);
    MUST(pthread_sigmask(SIG_UNBLOCK, &urgent, NULL) == 0);
    printf("handled when unblocked: %d\n", (int)handled);

    int ends[2];
    connect_pair(ends);
    MUST(fcntl(ends[1], F_SETOWN, getpid()) == 0);
    MUST(send(ends[0], "!", 1, MSG_OOB) == 1);
    for (int i = 0; i < 2000 && handled < 3; ++i) {
        burn(1);
    }
    printf("handled for urgent data: %d\n", (int)handled);
    MUST(pthread_sigmask(SIG_BLOCK, &urgent, NULL) == 0);
    MUST(send(ends[0], "!", 1, MSG_OOB) == 1);
    MUST(sigwait(&urgent, &number) == 0);
    printf("urgent data waited for: %s\n", number == SIGURG ? "SIGURG" : "another");
    burn(50);
    return 0;
}
