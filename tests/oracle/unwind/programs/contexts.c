// makecontext and swapcontext: code on a stack of its own, and the moments of switching.
#include <ucontext.h>

static volatile int sink;
static ucontext_t outside;
static ucontext_t inside;
static char stack[1 << 16];

__attribute__((noinline)) static int work(int n) {
    return n + sink;
}

static void coroutine(int n) {
    for (int i = 0; i < n; i++) {
        sink = work(i);
        swapcontext(&inside, &outside);
    }
}

__attribute__((noinline)) void scenario(int n) {
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, (void (*)(void))coroutine, 1, n + 1);
    for (int i = 0; i < n + 2; i++) {
        swapcontext(&outside, &inside);
        sink = work(i);
    }
}

int main(int argc, char** argv) {
    (void)argv;
    scenario(argc);
    return 0;
}
