// Real-time signals with values, by the hundred, between threads: taken by a handler, by sigwaitinfo and through a
// descriptor; none is lost, none comes twice, and each number's come in the order in which they were sent.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { kCount = 200 };
static volatile sig_atomic_t handled, in_order = 1;

static void on_signal(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)context;
    in_order = in_order && info->si_value.sival_int == handled && info->si_code == SI_QUEUE;
    handled = handled + 1;
}

static void* send_all(void* to) {
    for (int i = 0; i < kCount; ++i) {
        MUST(pthread_sigqueue(*(pthread_t*)to, SIGRTMIN + 3, (union sigval){.sival_int = i}) == 0);
        MUST(pthread_sigqueue(*(pthread_t*)to, SIGRTMIN + 4, (union sigval){.sival_int = -i}) == 0);
        MUST(sigqueue(getpid(), SIGRTMIN + 5, (union sigval){.sival_int = 2 * i}) == 0);
        burn(i % 20 == 0 ? 1 : 0);
    }
    return NULL;
}

int main(void) {
    pthread_t sender, self = pthread_self();
    sigset_t waited, read_later;
    const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&waited);
    sigemptyset(&read_later);
    sigaddset(&waited, SIGRTMIN + 4);
    sigaddset(&read_later, SIGRTMIN + 5);
    MUST(sigaction(SIGRTMIN + 3, &action, NULL) == 0);
    MUST(pthread_sigmask(SIG_BLOCK, &waited, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &read_later, NULL) == 0);
    const int file = signalfd(-1, &read_later, SFD_CLOEXEC);
    MUST(file >= 0 && pthread_create(&sender, NULL, send_all, &self) == 0);
    int waited_in_order = 1, read_in_order = 1;
    for (int i = 0; i < kCount; ++i) {
        siginfo_t info;
        int number = 0;
        while ((number = sigwaitinfo(&waited, &info)) < 0) {
        }
        waited_in_order = waited_in_order && number == SIGRTMIN + 4 && info.si_value.sival_int == -i;
        struct signalfd_siginfo told;
        MUST(read(file, &told, sizeof told) == sizeof told);
        read_in_order = read_in_order && told.ssi_int == 2 * i && told.ssi_pid == (uint32_t)getpid();
        burn(i % 4 == 0 ? 1 : 0);
    }
    MUST(pthread_join(sender, NULL) == 0);
    while (handled < kCount) {
        burn(1);
    }
    printf("%d handled, in order %d, %d, %d\n", (int)handled, (int)in_order, waited_in_order, read_in_order);
    return 0;
}
