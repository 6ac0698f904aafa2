// POSIX timers with SIGEV_THREAD and with a signal of the program's choice: the program has its timers for itself.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int thread_ticks;
static volatile sig_atomic_t signal_ticks;

static void in_thread(union sigval value) {
    (void)value;
    __atomic_add_fetch(&thread_ticks, 1, __ATOMIC_SEQ_CST);
}

static void in_handler(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)context;
    signal_ticks = signal_ticks + (info->si_code == SI_TIMER && info->si_value.sival_int == 77);
}

int main(void) {
    struct sigaction action = {.sa_sigaction = in_handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent by_thread, by_signal;
    const struct itimerspec every = {.it_interval = {.tv_nsec = 10000000}, .it_value = {.tv_nsec = 10000000}};
    timer_t first, second;
    memset(&by_thread, 0, sizeof by_thread);
    memset(&by_signal, 0, sizeof by_signal);
    by_thread.sigev_notify = SIGEV_THREAD;
    by_thread.sigev_notify_function = in_thread;
    by_signal.sigev_notify = SIGEV_SIGNAL;
    by_signal.sigev_signo = SIGRTMIN + 1;
    by_signal.sigev_value.sival_int = 77;
    MUST(sigaction(SIGRTMIN + 1, &action, NULL) == 0);
    MUST(timer_create(CLOCK_MONOTONIC, &by_thread, &first) == 0);
    MUST(timer_create(CLOCK_THREAD_CPUTIME_ID, &by_signal, &second) == 0);
    MUST(timer_settime(first, 0, &every, NULL) == 0);
    MUST(timer_settime(second, 0, &every, NULL) == 0);
    burn(400);
    while (__atomic_load_n(&thread_ticks, __ATOMIC_SEQ_CST) < 10 || signal_ticks < 15) {
        burn(10);  // a busy machine lets few through; they come
    }
    MUST(timer_delete(first) == 0);
    MUST(timer_delete(second) == 0);
    printf("thread %d, signal %d\n", thread_ticks >= 10, signal_ticks >= 15);
    return 0;
}
