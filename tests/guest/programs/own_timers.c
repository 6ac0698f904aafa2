// Every kind of timer of the program's own: interval timers of real, virtual and profiling time, POSIX timers on the
// thread's and the process's processor time, a timer whose thread is made for it, and a timer descriptor.
#include "../burn.h"

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65];
static sem_t by_thread;

static void on_signal(int number, siginfo_t* info, void* context) {
    (void)info;
    (void)context;
    seen[number] = seen[number] + 1;
}

static void in_thread(union sigval value) {
    burn(1);
    sem_post(value.sival_ptr);
}

static void burn_until(int signal, int count) {
    for (int i = 0; i < 5000 && seen[signal] < count; ++i) {
        burn(1);
    }
    printf("signal %d: %s\n", signal, seen[signal] >= count ? "often enough" : "too seldom");
}

int main(void) {
    static const int kSignals[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2};
    for (int i = 0; i < 5; ++i) {
        const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
        MUST(sigaction(kSignals[i], &action, NULL) == 0);
    }
    static const int kIntervals[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    for (int i = 0; i < 3; ++i) {
        const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
        MUST(setitimer(kIntervals[i], &often, NULL) == 0);
        burn_until(kSignals[i], 5);
        MUST(setitimer(kIntervals[i], &never, NULL) == 0);
    }
    static const clockid_t kClocks[] = {CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID};
    for (int i = 0; i < 2; ++i) {
        timer_t timer;
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = kSignals[3 + i]};
        const struct itimerspec often = {{0, 2000000}, {0, 2000000}};
        MUST(timer_create(kClocks[i], &event, &timer) == 0 && timer_settime(timer, 0, &often, NULL) == 0);
        burn_until(kSignals[3 + i], 5);
        MUST(timer_delete(timer) == 0);
    }
    timer_t timer;
    MUST(sem_init(&by_thread, 0, 0) == 0);
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread, .sigev_value.sival_ptr = &by_thread};
    const struct itimerspec often = {{0, 2000000}, {0, 2000000}};
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &often, NULL) == 0);
    for (int i = 0; i < 5; ++i) {
        MUST(sem_wait(&by_thread) == 0);
    }
    MUST(timer_delete(timer) == 0);
    const int file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    uint64_t times = 0, sum = 0;
    MUST(file >= 0 && timerfd_settime(file, 0, &often, NULL) == 0);
    while (sum < 5) {
        MUST(read(file, &times, sizeof times) == sizeof times);
        sum += times;
    }
    puts("by threads and by descriptor");
    return 0;
}
