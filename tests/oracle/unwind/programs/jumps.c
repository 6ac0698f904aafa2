// setjmp and longjmp through frames that save registers.
#include <setjmp.h>
#include <stdint.h>

static jmp_buf back;
static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t deep(uint64_t n) {
    volatile uint64_t local[4] = {n, n, n, n};
    if (n == 0) {
        if (sink != 1) {
            longjmp(back, 7);
        }
        return local[0];
    }
    return deep(n - 1) + local[n % 4];
}

__attribute__((noinline)) void scenario(uint64_t n) {
    for (volatile int i = 0; i < 3; i++) {
        const int code = setjmp(back);
        if (code == 0) {
            sink = deep(n + 5);
        } else {
            sink = (uint64_t)code;
        }
    }
}

int main(int argc, char** argv) {
    (void)argv;
    scenario((uint64_t)argc);
    return 0;
}
