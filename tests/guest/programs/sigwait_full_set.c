// The usual shape of a daemon: all signals blocked everywhere, one thread takes them with sigwait; it must get those
// that were sent and no others.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int taken;  // signals that the receiver is done with

static void* receive(void* set) {
    int seen[3] = {0, 0, 0};
    for (;;) {
        int number = 0;
        MUST(sigwait(set, &number) == 0);
        burn(5);
        seen[number == SIGUSR1 ? 0 : number == SIGUSR2 || number == SIGTERM ? 1 : 2] += 1;
        __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
        if (number == SIGTERM) {
            break;
        }
    }
    printf("%d of one kind, %d of the other, %d unexpected\n", seen[0], seen[1], seen[2]);
    return NULL;
}

int main(void) {
    sigset_t all;
    pthread_t receiver;
    sigfillset(&all);
    MUST(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    MUST(pthread_create(&receiver, NULL, receive, &all) == 0);
    for (int i = 0; i < 10; ++i) {
        burn(20);
        usleep(20000);
        MUST(kill(getpid(), SIGUSR1) == 0);
        // Two that are pending are one: the next is sent when this one has been taken.
        while (__atomic_load_n(&taken, __ATOMIC_SEQ_CST) <= i) {
            usleep(1000);
        }
    }
    MUST(kill(getpid(), SIGTERM) == 0);
    MUST(pthread_join(receiver, NULL) == 0);
    return 0;
}
