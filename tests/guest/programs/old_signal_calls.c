// Handles SIGURG, which Kymo samples with, by every older call there is: its handler gets its own signals, no others.
#define _XOPEN_SOURCE 700
#include "../burn.h"

#include <signal.h>
#include <unistd.h>

extern sighandler_t bsd_signal(int signal, sighandler_t handler);
extern sighandler_t sysv_signal(int signal, sighandler_t handler);

static volatile sig_atomic_t seen;

static void count(int signal) {
    (void)signal;
    ++seen;
}

static const char* name(sighandler_t handler) {
    return handler == SIG_DFL    ? "default"
           : handler == SIG_IGN  ? "ignored"
           : handler == SIG_HOLD ? "held"
           : handler == count    ? "own"
                                 : "another";
}

static void told(const char* call, sighandler_t before) {
    struct sigaction now;
    MUST(sigaction(SIGURG, NULL, &now) == 0);
    seen = 0;
    burn(30);
    kill(getpid(), SIGURG);
    burn(30);
    const int once = seen;
    kill(getpid(), SIGURG);
    burn(5);
    printf("%s: was %s, is %s, restarts %d, handled %d, then %d\n", call, name(before), name(now.sa_handler),
           (now.sa_flags & SA_RESTART) != 0, once, (int)seen);
}

int main(void) {
    told("bsd_signal", bsd_signal(SIGURG, count));
    MUST(siginterrupt(SIGURG, 1) == 0);
    told("siginterrupt", SIG_DFL);
    MUST(sigignore(SIGURG) == 0);
    told("sigignore", SIG_DFL);
    told("ssignal", ssignal(SIGURG, count));
    told("sysv_signal", sysv_signal(SIGURG, count));
    told("sigset", sigset(SIGURG, count));
    told("sigset to hold", sigset(SIGURG, SIG_HOLD));
    told("sigset again", sigset(SIGURG, count));
    burn(100);
    return 0;
}
