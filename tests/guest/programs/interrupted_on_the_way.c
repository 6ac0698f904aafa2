// A call that a signal of the program's is to interrupt (its handler is without SA_RESTART), where the signal meets
// the call on its long way into the kernel, and at the same tick a sample may, too: the handler must never find the
// call about to be made again. The signal is a timer's of this thread's processor time, which the kernel looks at at
// ticks.
#include "../burn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// The kernel follows 40 links, and walks a path again, with those of the first time counted, when somebody mounts
// something meanwhile (ELOOP): half of them.
enum { kLinks = 19, kRounds = 250 };

static volatile sig_atomic_t calling;
static volatile sig_atomic_t made_again;

static void on_alarm(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)info;
    const greg_t* registers = ((const ucontext_t*)context)->uc_mcontext.gregs;
    const unsigned char* next = (const unsigned char*)registers[REG_RIP];
    if (calling && registers[REG_RAX] == SYS_openat && next[0] == 0x0F && next[1] == 0x05) {
        made_again = made_again + 1;
    }
}

// A link to NAME through as many folders as a path has room for: each is looked at in turn, some 50 µs in all.
static void make_link(const char* name, const char* link) {
    char path[PATH_MAX] = "";
    size_t used = 0;
    while (used + 2 + strlen(name) < sizeof path) {
        memcpy(path + used, "./", 2);
        used += 2;
    }
    memcpy(path + used, name, strlen(name) + 1);
    MUST(symlink(path, link) == 0);
}

int main(void) {
    char folder[] = "/tmp/kymo-guest-XXXXXX";
    MUST(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkfifo("0", 0600) == 0);
    char name[8];
    char link[8];
    for (int i = 0; i < kLinks; ++i) {
        snprintf(name, sizeof name, "%d", i);
        snprintf(link, sizeof link, "%d", i + 1);
        make_link(name, link);
    }
    const struct sigaction action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
    MUST(sigaction(SIGALRM, &action, NULL) == 0);
    const struct itimerspec ticks = {.it_value = {.tv_nsec = 1}, .it_interval = {.tv_nsec = 1}};
    struct sigevent by_alarm = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    timer_t timer;
    MUST(timer_create(CLOCK_THREAD_CPUTIME_ID, &by_alarm, &timer) == 0 && timer_settime(timer, 0, &ticks, NULL) == 0);
    int interrupted = 0;
    for (int i = 0; i < kRounds; ++i) {
        // Ends a call that no tick has met; again and again, for the first one may come before the call is made.
        const struct itimerval soon = {.it_value = {.tv_usec = 3000}, .it_interval = {.tv_usec = 3000}};
        const struct itimerval never = {.it_value = {0}};
        MUST(setitimer(ITIMER_REAL, &soon, NULL) == 0);
        calling = 1;
        const long opened = syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
        calling = 0;
        interrupted += opened < 0 && errno == EINTR;
        MUST(setitimer(ITIMER_REAL, &never, NULL) == 0);
    }
    for (int i = 0; i <= kLinks; ++i) {
        snprintf(name, sizeof name, "%d", i);
        MUST(unlink(name) == 0);
    }
    MUST(chdir("/") == 0 && rmdir(folder) == 0);
    printf("%d calls, %d interrupted, %d to be made again\n", kRounds, interrupted, made_again);
    return 0;
}
