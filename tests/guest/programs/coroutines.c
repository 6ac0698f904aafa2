// swapcontext between coroutines whose stacks are on the heap: call paths start elsewhere, and in mid switch nowhere.
#include "../burn.h"

#include <ucontext.h>

static ucontext_t home, there[4];
static int turns[4];

static void coroutine(int number) {
    for (;;) {
        turns[number] += 1;
        if (turns[number] % 500 == 0) {
            burn(1);
        }
        swapcontext(&there[number], &home);
    }
}

int main(void) {
    for (int i = 0; i < 4; ++i) {
        const size_t bytes = 65536;
        getcontext(&there[i]);
        there[i].uc_stack.ss_sp = malloc(bytes);
        there[i].uc_stack.ss_size = bytes;
        there[i].uc_link = &home;
        makecontext(&there[i], (void (*)(void))coroutine, 1, i);
    }
    for (int i = 0; i < 400000; ++i) {
        MUST(swapcontext(&home, &there[i % 4]) == 0);
    }
    printf("%d %d %d %d\n", turns[0], turns[1], turns[2], turns[3]);
    return 0;
}
