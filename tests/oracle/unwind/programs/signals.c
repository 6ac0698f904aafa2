// Signal handlers: entered from a system call, from a fault, at a function's very first instruction, on an alternate
// stack, nested, and left by siglongjmp; each returns through the kernel's trampoline otherwise.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static volatile int sink;
static sigjmp_buf back;

__attribute__((noinline)) static int work(int n) {
    return n * 2 + sink;
}

static void plain(int signal) {
    sink = work(signal);
}

static void nests(int signal, siginfo_t* info, void* context) {
    (void)context;
    sink = work(info->si_signo);
    if (signal == SIGUSR2) {
        raise(SIGUSR1);
    }
    sink = work(signal);
}

static void skips_two_bytes(int signal, siginfo_t* info, void* context) {
    (void)info;
    sink = work(signal);
    ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void jumps(int signal) {
    sink = work(signal);
    siglongjmp(back, 1);
}

// Traps at its first instruction, where looking the program counter up one byte earlier finds another function.
__asm__(
    ".pushsection .text\n"
    ".type before_it,@function\n"
    "before_it:\n"
    ".cfi_startproc\n"
    "pushq %rbx\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset rbx,-16\n"
    "popq %rbx\n"
    ".cfi_def_cfa_offset 8\n"
    "subq $40,%rsp\n"
    ".cfi_def_cfa_offset 48\n"
    "ud2\n"
    ".cfi_endproc\n"
    ".size before_it,.-before_it\n"
    ".type traps_at_once,@function\n"
    "traps_at_once:\n"
    ".cfi_startproc\n"
    "ud2\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size traps_at_once,.-traps_at_once\n"
    ".popsection\n");
void traps_at_once(void);

static void handle(int signal, void (*plain_handler)(int), void (*full)(int, siginfo_t*, void*), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_flags = flags;
    if (full != NULL) {
        action.sa_sigaction = full;
        action.sa_flags |= SA_SIGINFO;
    } else {
        action.sa_handler = plain_handler;
    }
    sigaction(signal, &action, NULL);
}

__attribute__((noinline)) static void fault(volatile int* at) {
    sink = *at;
}

__attribute__((noinline)) void scenario(int n) {
    static char stack[1 << 16];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sink = n;
    handle(SIGUSR1, plain, NULL, 0);
    raise(SIGUSR1);
    handle(SIGUSR2, NULL, nests, 0);
    raise(SIGUSR2);
    handle(SIGILL, NULL, skips_two_bytes, 0);
    traps_at_once();
    sigaltstack(&alternate, NULL);
    handle(SIGUSR1, plain, NULL, SA_ONSTACK);
    raise(SIGUSR1);
    handle(SIGUSR2, NULL, nests, SA_ONSTACK);
    raise(SIGUSR2);
    handle(SIGILL, NULL, skips_two_bytes, SA_ONSTACK);
    traps_at_once();
    handle(SIGSEGV, jumps, NULL, 0);
    if (sigsetjmp(back, 1) == 0) {
        fault(NULL);
    }
    handle(SIGSEGV, jumps, NULL, SA_ONSTACK);
    if (sigsetjmp(back, 1) == 0) {
        fault(NULL);
    }
    sink = work(n);
}

int main(int argc, char** argv) {
    (void)argv;
    scenario(argc);
    return 0;
}
