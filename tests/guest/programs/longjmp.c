// longjmp out of many frames while samples arrive.
#include "../burn.h"

#include <setjmp.h>

static jmp_buf back;

__attribute__((noinline)) static int dig(int depth) {
    if (depth == 0) {
        longjmp(back, 1);
    }
    const int below = depth > 0 ? dig(depth - 1) : 0;
    __asm__ volatile("" ::"r"(below)); /* keeps the frame */
    return below + 1;
}

int main(void) {
    volatile int jumps = 0;
    for (volatile int round = 0; round < 200; ++round) {
        if (setjmp(back) == 0) {
            burn(1);
            dig(100);
        } else {
            jumps = jumps + 1;
        }
    }
    printf("%d jumps\n", jumps);
    return 0;
}
