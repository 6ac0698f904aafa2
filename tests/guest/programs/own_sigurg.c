// A program with its own SIGURG handler: it sees exactly the signals that it sends to itself, and out-of-band data's.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void on_signal(int number, siginfo_t* info, void* context) {
    (void)context;
    if (number == SIGURG && info->si_pid == getpid()) {
        seen = seen + 1;
    } else {
        seen = seen + 1000000; /* not one of ours */
    }
}

static void* compute(void* unused) {
    burn(200);
    return unused;
}

int main(void) {
    pthread_t early, late;
    MUST(pthread_create(&early, NULL, compute, NULL) == 0);
    burn(50);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction before, after;
    sigemptyset(&action.sa_mask);
    MUST(sigaction(SIGURG, &action, &before) == 0);
    MUST(before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN);
    MUST(sigaction(SIGURG, NULL, &after) == 0);
    MUST(after.sa_sigaction == on_signal);
    MUST(pthread_create(&late, NULL, compute, NULL) == 0);
    for (int i = 0; i < 100; ++i) {
        MUST(kill(getpid(), 0) == 0);
        MUST(raise(SIGURG) == 0);
        burn(2);
    }
    MUST(pthread_join(early, NULL) == 0 && pthread_join(late, NULL) == 0);
    printf("seen %d of 100\n", (int)seen);
    return 0;
}
