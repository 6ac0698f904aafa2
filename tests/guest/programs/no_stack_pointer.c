// Hand-written code that uses the stack pointer as one more register for numbers, with an alternate stack for
// signals: where it points is no memory, or not the program's to be read, and where it is not aligned.
#include "../burn.h"

#include <signal.h>

#if defined(__x86_64__)
// Counts down with `stack` as the stack pointer.
uint64_t spin_at(uint64_t stack, uint64_t rounds);
__asm__(
    "        .text\n"
    "        .type spin_at, @function\n"
    "spin_at:\n"
    "        .cfi_startproc\n"
    "        movq %rsp, %rdx\n"
    "        .cfi_def_cfa_register %rdx\n"
    "        movq %rdi, %rsp\n"
    "1:      decq %rsi\n"
    "        jnz 1b\n"
    "        movq %rsp, %rax\n"
    "        movq %rdx, %rsp\n"
    "        .cfi_def_cfa_register %rsp\n"
    "        ret\n"
    "        .cfi_endproc\n"
    "        .size spin_at, .-spin_at\n");

static char alternate[32768];
static volatile sig_atomic_t runs;

static void on_signal(int number) {
    (void)number;
    runs = runs + 1;
    burn(1);
}

int main(void) {
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    const struct itimerspec often = {{0, 3000000}, {0, 3000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    char room[256];
    MUST(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &often, NULL) == 0);
    const uint64_t places[] = {
        0, 8, 0x123456789abcdef, ~UINT64_C(0) - 8, UINT64_C(0x7ffffffff000), (uint64_t)(room + 129)};
    for (int i = 0; i < 6; ++i) {
        int kept = 0;
        for (int round = 0; round < 10; ++round) {
            kept += spin_at(places[i], 2000000) == places[i];
        }
        printf("kept %d times\n", kept);
    }
    for (int i = 0; i < 1000 && runs == 0; ++i) {
        burn(1);
    }
    MUST(timer_delete(timer) == 0 && runs > 0);
    return 0;
}
#else
int main(void) {
    burn(100);
    puts("not written for this processor");
    return 0;
}
#endif
