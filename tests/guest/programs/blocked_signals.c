// Every signal blocked, in main and in a thread, for a while and for good: masks stay what the program made them.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>

static int same_as(const sigset_t* expected) {
    sigset_t now;
    MUST(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
    for (int number = 1; number < 65; ++number) {
        if (number == 32 || number == 33) {
            continue; /* the C library's own */
        }
        if (number != SIGKILL && number != SIGSTOP && sigismember(&now, number) != sigismember(expected, number)) {
            printf("signal %d: blocked %d, expected %d\n", number, sigismember(&now, number),
                   sigismember(expected, number));
            return 0;
        }
    }
    return 1;
}

static void* blocked_for_good(void* mask) {
    MUST(same_as(mask));
    burn(100);
    MUST(same_as(mask));
    return NULL;
}

int main(void) {
    sigset_t all, none, one;
    pthread_t thread;
    sigfillset(&all);
    sigemptyset(&none);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    MUST(same_as(&none));
    for (int i = 0; i < 20; ++i) {
        MUST(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
        burn(5);
        MUST(same_as(&all));
        MUST(pthread_sigmask(SIG_SETMASK, &one, NULL) == 0);
        burn(5);
        MUST(same_as(&one));
    }
    MUST(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    MUST(pthread_create(&thread, NULL, blocked_for_good, &all) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    burn(50);
    puts("masks are as they were made");
    return 0;
}
