// A small alternate stack for faults, and handlers that are not to run on it: they may need much room, also that of
// SIGURG.
#include "../burn.h"

#include <signal.h>
#include <string.h>

static char alternate[16384];
static volatile sig_atomic_t runs, on_it;

__attribute__((noinline)) static void use(volatile char* room, size_t bytes) {
    memset((char*)room, 1, bytes);
}

static void handler(int number) {
    volatile char room[100000];
    stack_t now;
    (void)number;
    use(room, sizeof room);
    MUST(sigaltstack(NULL, &now) == 0);
    on_it = on_it +
            ((now.ss_flags & SS_ONSTACK) != 0 || (&room[0] >= alternate && &room[0] < alternate + sizeof alternate));
    burn(2);
    runs = runs + 1;
}

int main(void) {
    static const int kSignals[] = {SIGUSR1, SIGURG, SIGPROF};
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    const struct sigaction action = {.sa_handler = handler};
    MUST(sigaltstack(&stack, NULL) == 0);
    for (int i = 0; i < 3; ++i) {
        MUST(sigaction(kSignals[i], &action, NULL) == 0);
        for (int k = 0; k < 10; ++k) {
            burn(1);
            MUST(raise(kSignals[i]) == 0);
        }
        printf("signal %d: %d runs, %d on the alternate stack\n", kSignals[i], (int)runs, (int)on_it);
    }
    return 0;
}
