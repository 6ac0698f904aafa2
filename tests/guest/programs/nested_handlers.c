// Handlers inside handlers, several hundred deep, with SA_NODEFER; and one that changes its own alternate stack for
// another when it leaves by a jump.
#include "../burn.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t depth, deepest, on_second;
static char stacks[2][65536];
static sigjmp_buf back;

static void recursive(int number) {
    depth = depth + 1;
    if (depth > deepest) {
        deepest = depth;
    }
    if (depth < 200) {
        raise(number);
    } else {
        burn(10);
    }
    depth = depth - 1;
}

static int stands_on(const char* stack) {
    const char* here = __builtin_frame_address(0);
    return here >= stack && here < stack + sizeof stacks[0];
}

static void leaves(int number) {
    (void)number;
    burn(5);
    siglongjmp(back, stands_on(stacks[0]) ? 1 : 2);
}

static void second(int number) {
    (void)number;
    burn(5);
    on_second = stands_on(stacks[1]);
    stack_t now;
    MUST(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_ONSTACK);
}

static void install(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    MUST(sigaction(number, &action, NULL) == 0);
}

int main(void) {
    stack_t one = {.ss_sp = stacks[0], .ss_size = sizeof stacks[0]},
            other = {.ss_sp = stacks[1], .ss_size = sizeof stacks[1]};
    install(SIGUSR1, recursive, SA_NODEFER);
    MUST(raise(SIGUSR1) == 0);
    printf("%d deep, back at %d\n", (int)deepest, (int)depth);

    MUST(sigaltstack(&one, NULL) == 0);
    install(SIGUSR2, leaves, SA_ONSTACK);
    const int left = sigsetjmp(back, 1);
    if (left == 0) {
        MUST(raise(SIGUSR2) == 0);
    }
    MUST(sigaltstack(&other, NULL) == 0);
    install(SIGUSR2, second, SA_ONSTACK);
    burn(10);
    MUST(raise(SIGUSR2) == 0);
    stack_t now;
    MUST(sigaltstack(NULL, &now) == 0);
    printf("left from the first: %d, on the second: %d, still the second: %d\n", left == 1, (int)on_second,
           now.ss_sp == stacks[1] && now.ss_flags == 0);
    return 0;
}
