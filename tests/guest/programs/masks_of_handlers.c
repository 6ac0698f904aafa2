// Masks that the kernel changes by itself: it adds a handler's sa_mask and takes it away again, restores what the
// interrupted code had, or what the handler has written into its context; jumps and contexts bring others back. What
// the program asks for is what it has.
#include "../burn.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static sigset_t all, urgent, none;
static volatile sig_atomic_t handled, handled_inside;

static int blocked(int signal) {
    sigset_t now;
    MUST(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
    return sigismember(&now, signal);
}

static void on_urgent(int number) {
    (void)number;
    handled = handled + 1;
}

static void with_full_mask(int number) {
    (void)number;
    burn(5);
    printf("in a handler with a full mask: %d %d\n", blocked(SIGURG), blocked(SIGUSR2));
    MUST(raise(SIGURG) == 0);
    burn(5);
    handled_inside = handled;
}

static void blocks_all(int number) {
    (void)number;
    MUST(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    burn(5);
    printf("in a handler that has blocked all: %d %d\n", blocked(SIGURG), blocked(SIGUSR2));
}

static void unblocks_on_return(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)info;
    sigemptyset(&((ucontext_t*)context)->uc_sigmask);
}

static sigjmp_buf back;
static void jumps_out(int number) {
    (void)number;
    MUST(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    burn(5);
    siglongjmp(back, 1);
}

static void install(int number, void (*handler)(int), const sigset_t* mask) {
    struct sigaction action = {.sa_handler = handler, .sa_mask = *mask};
    MUST(sigaction(number, &action, NULL) == 0);
    MUST(sigaction(number, NULL, &action) == 0);
    printf("asked: %d %d %d\n", sigismember(&action.sa_mask, SIGURG), sigismember(&action.sa_mask, SIGUSR2),
           sigismember(&action.sa_mask, SIGSTKFLT));
}

static ucontext_t main_context, other_context;
static char stack[65536];
static void other(void) {
    MUST(pthread_sigmask(SIG_BLOCK, &urgent, NULL) == 0);
    burn(5);
    swapcontext(&other_context, &main_context);
    printf("back in a context that had blocked it: %d\n", blocked(SIGURG));
}

static void on_user(int number) {
    (void)number;
    printf("a signal inside a handler of SIGURG\n");
}
static void urgent_raises(int number) {
    (void)number;
    MUST(raise(SIGUSR2) == 0);
    printf("in SIGURG's handler: %d %d\n", blocked(SIGURG), blocked(SIGUSR2));
    handled = handled + 1;
    if (handled < 3) {
        MUST(raise(SIGURG) == 0);  // waits until this handler has returned
        printf("not at once: %d\n", (int)handled);
    }
}

int main(int argc, char** argv) {
    setvbuf(stdout, NULL, _IONBF, 0);
    sigfillset(&all);
    sigemptyset(&none);
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    if (argc > 1) {
        printf("the new program's: %d %d %d\n", blocked(SIGURG), blocked(SIGUSR2), blocked(SIGSTKFLT));
        return 0;
    }
    install(SIGURG, on_urgent, &none);

    install(SIGUSR1, with_full_mask, &all);
    MUST(raise(SIGUSR1) == 0);
    printf("handled inside %d, afterwards %d\n", (int)handled_inside, (int)handled);

    install(SIGUSR1, blocks_all, &none);
    MUST(raise(SIGUSR1) == 0);
    burn(5);
    printf("after it: %d %d\n", blocked(SIGURG), blocked(SIGUSR2));

    MUST(pthread_sigmask(SIG_BLOCK, &urgent, NULL) == 0);
    struct sigaction action = {.sa_sigaction = unblocks_on_return, .sa_flags = SA_SIGINFO};
    MUST(sigaction(SIGUSR1, &action, NULL) == 0);
    MUST(raise(SIGUSR1) == 0);
    printf("after a handler that empties the mask: %d\n", blocked(SIGURG));

    install(SIGUSR1, jumps_out, &urgent);
    if (sigsetjmp(back, 1) == 0) {
        MUST(raise(SIGUSR1) == 0);
    }
    burn(5);
    printf("after a jump out: %d %d\n", blocked(SIGURG), blocked(SIGUSR2));
    MUST(pthread_sigmask(SIG_BLOCK, &urgent, NULL) == 0);
    if (sigsetjmp(back, 1) == 0) {
        MUST(pthread_sigmask(SIG_UNBLOCK, &urgent, NULL) == 0);
        siglongjmp(back, 1);
    }
    printf("after a jump to where it was blocked: %d\n", blocked(SIGURG));
    MUST(pthread_sigmask(SIG_UNBLOCK, &urgent, NULL) == 0);

    MUST(getcontext(&other_context) == 0);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = sizeof stack;
    other_context.uc_link = &main_context;
    makecontext(&other_context, other, 0);
    MUST(swapcontext(&main_context, &other_context) == 0);
    if (handled == 1) {
        handled = 0;
        printf("in main's context: %d\n", blocked(SIGURG));
        MUST(swapcontext(&main_context, &other_context) == 0);
    }
    printf("at its end: %d\n", blocked(SIGURG));

    install(SIGUSR2, on_user, &none);
    install(SIGURG, urgent_raises, &none);
    MUST(raise(SIGURG) == 0);
    burn(5);
    printf("handled %d, blocked %d\n", (int)handled, blocked(SIGURG));

    // Only the unused signal that stands in for it in the kernel's masks, all but it, and all but both.
    static const int kOut[] = {SIGSTKFLT, SIGURG, SIGPWR};
    for (int i = 0; i < 3; ++i) {
        sigset_t set = all, before;
        sigdelset(&set, kOut[i]);
        MUST(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
        MUST(pthread_sigmask(SIG_SETMASK, &none, &before) == 0);
        printf("all but %d: %d %d %d\n", kOut[i], sigismember(&before, SIGURG), sigismember(&before, SIGSTKFLT),
               sigismember(&before, SIGPWR));
    }
    fflush(stdout);
    if (fork() == 0) {
        MUST(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
        if (fork() == 0) {
            printf("a child's: %d\n", blocked(SIGURG));
            execl(argv[0], argv[0], "again", (char*)NULL);
        }
        wait(NULL);
        MUST(pthread_sigmask(SIG_SETMASK, &urgent, NULL) == 0);
        execl(argv[0], argv[0], "again", (char*)NULL);
    }
    MUST(wait(NULL) > 0);
    return 0;
}
