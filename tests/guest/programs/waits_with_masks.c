// Calls that wait with a mask of their own, in a thread that blocks SIGURG otherwise: ppoll, pselect, epoll_pwait and
// sigsuspend let it through, and end with EINTR after its handler.
#include "../burn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static pthread_t waiting;

static void on_signal(int number) {
    (void)number;
    handled = handled + 1;
}

// Until it has come: the first may be before the wait begins.
static void* send_it(void* unused) {
    burn(20);
    MUST(pthread_kill(waiting, SIGURG) == 0);
    return unused;
}

static int one(int way, const sigset_t* mask) {
    const struct timespec length = {10, 0};
    struct epoll_event event;
    switch (way) {
        case 0:
            return ppoll(NULL, 0, &length, mask);
        case 1:
            return pselect(0, NULL, NULL, NULL, &length, mask);
        case 2:
            return epoll_pwait(epoll_create1(0), &event, 1, 10000, mask);
        default:
            return sigsuspend(mask);
    }
}

int main(void) {
    static const char* kNames[] = {"ppoll", "pselect", "epoll_pwait", "sigsuspend"};
    sigset_t urgent, all, none, masks[2];
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    sigfillset(&all);
    sigemptyset(&none);
    masks[0] = none;
    masks[1] = all;
    sigdelset(&masks[1], SIGURG);
    waiting = pthread_self();
    const struct sigaction action = {.sa_handler = on_signal};
    MUST(sigaction(SIGURG, &action, NULL) == 0);
    for (int way = 0; way < 4; ++way) {
        for (int i = 0; i < 2; ++i) {
            pthread_t sender;
            sigset_t now;
            MUST(pthread_sigmask(SIG_SETMASK, i == 0 ? &urgent : &all, NULL) == 0);
            MUST(pthread_create(&sender, NULL, send_it, NULL) == 0);
            const int result = one(way, &masks[i]);
            const int error = errno;
            MUST(pthread_join(sender, NULL) == 0);
            MUST(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
            printf("%s: %d %d, handled %d, blocked %d %d\n", kNames[way], result, error == EINTR, (int)handled,
                   sigismember(&now, SIGURG), sigismember(&now, SIGUSR1));
        }
    }
    return 0;
}
