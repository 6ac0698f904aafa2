// A fault whose handler, on an alternate stack, itself fails an assertion: ended by SIGABRT with its words.
#undef NDEBUG
#include "../burn.h"

#include <assert.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static void on_abort(int number) {
    write(1, "aborting\n", 9);
    burn(5);
    signal(number, SIG_DFL);
}
static void on_fault(int number) {
    burn(5);
    write(1, "fault\n", 6);
    assert(number == 0);
}

int main(void) {
    static char stack[65536];
    const struct rlimit none = {0, 0};
    const stack_t elsewhere = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    volatile int* nowhere = NULL;
    __asm__ volatile("" : "+r"(nowhere));
    MUST(setrlimit(RLIMIT_CORE, &none) == 0 && sigaltstack(&elsewhere, NULL) == 0);
    MUST(sigaction(SIGSEGV, &action, NULL) == 0 && signal(SIGABRT, on_abort) != SIG_ERR);
    burn(20);
    *nowhere = 1;
    return 98;
}
