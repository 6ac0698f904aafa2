// A program that keeps SIGURG blocked but for the moments when it waits for it, round after round, and computes in
// between: the way of event loops.
#include "../burn.h"

#include <poll.h>
#include <signal.h>

static volatile sig_atomic_t handled;

static void on_signal(int number) {
    (void)number;
    handled = handled + 1;
}

int main(void) {
    sigset_t urgent, none, now;
    sigemptyset(&none);
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    MUST(signal(SIGURG, on_signal) == SIG_DFL);
    MUST(sigprocmask(SIG_BLOCK, &urgent, NULL) == 0);
    for (int i = 0; i < 50; ++i) {
        MUST(raise(SIGURG) == 0);
        burn(2);
        if (i % 2 == 0) {
            sigsuspend(&none);
        } else {
            MUST(ppoll(NULL, 0, NULL, &none) == -1);
        }
        MUST(handled == i + 1);
        MUST(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGURG) == 1);
        burn(4);
    }
    printf("handled: %d\n", (int)handled);
    return 0;
}
