// A tracer, as debuggers and strace are: it starts a program that asks to be traced, and sees every signal that the
// program gets before the program does. There must be no others than without Kymo.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum How { kLibrary, kRaw, kVfork, kSeize, kHows };
static const char* const names[kHows] = {"ptrace", "a raw system call", "vfork", "seized"};

static void* compute(void* unused) {
    burn(60);
    return unused;
}

// What is traced: after exec, and with a thread.
static int traced_program(void) {
    pthread_t thread;
    burn(60);
    raise(SIGWINCH);
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    if (fork() == 0) {
        burn(60);
        _exit(0);
    }
    wait(NULL);
    return 3;
}

static void become_traced(enum How how, char** argv) {
    switch (how) {
        case kRaw:
            syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
            break;
        case kSeize:
            raise(SIGSTOP);
            burn(60);
            break;
        default:
            ptrace(PTRACE_TRACEME, 0, 0, 0);
            break;
    }
    if (how == kLibrary || how == kRaw) {
        raise(SIGSTOP);
        burn(60);
    }
    execl("/proc/self/exe", argv[0], "traced", NULL);
    _exit(98);
}

// Continues what stops until all are gone.
static void trace(enum How how, pid_t child) {
    const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEEXEC;
    unsigned signals[65] = {0};
    unsigned events = 0;
    int result = -1;
    int has_options = 0;
    if (how == kSeize) {
        int status = 0;
        MUST(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
        MUST(ptrace(PTRACE_SEIZE, child, 0, options) == 0);
        kill(child, SIGCONT);
        has_options = 1;
    }
    for (;;) {
        int status = 0;
        const pid_t task = waitpid(-1, &status, __WALL);
        if (task < 0) {
            break;
        }
        if (!WIFSTOPPED(status)) {
            result = task == child ? WEXITSTATUS(status) : result;
            continue;
        }
        const int signal = WSTOPSIG(status);
        const int event = status >> 16;
        events += event != 0;
        if (!has_options) {
            MUST(ptrace(PTRACE_SETOPTIONS, task, 0, options) == 0);
            has_options = 1;
        }
        const int passes = event == 0 && signal != SIGTRAP && signal != SIGSTOP;
        // New tasks begin with a stop of their own, which comes as it likes.
        signals[signal] += passes || signal == SIGURG;
        ptrace(PTRACE_CONT, task, 0, passes ? signal : 0);
    }
    printf("%s: ended with %d, after", names[how], result);
    for (int i = 1; i < 65; ++i) {
        if (signals[i] != 0) {
            printf(" %u of signal %d,", signals[i], i);
        }
    }
    printf(" %s events\n", events != 0 ? "and" : "no");
    fflush(stdout);
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "traced") == 0) {
        return traced_program();
    }
    for (int how = 0; how < kHows; ++how) {
        const pid_t child = how == kVfork ? vfork() : fork();
        if (child == 0) {
            become_traced((enum How)how, argv);
        }
        MUST(child > 0);
        trace((enum How)how, child);
    }
    burn(50);
    return 0;
}
