// A limit of no pending signals: timers cannot be made any more, and queued signals are refused.
#include "../burn.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static void* work(void* unused) {
    burn(100);
    return unused;
}

int main(void) {
    const struct rlimit none = {0, 0};
    MUST(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    errno = 0;
    const int made = timer_create(CLOCK_MONOTONIC, &event, &timer);
    printf("timer: %d, %d\n", made, errno == EAGAIN);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_create(&threads[i], NULL, work, NULL) == 0);
    }
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    burn(100);
    printf("done\n");
    return 0;
}
