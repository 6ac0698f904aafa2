/* Functions in which hooks have no room, unless the compiler has left some: one that is shorter than a jump, one
 * whose loop leads back to its first instruction. Argument: how often each is called. */
#include <stdio.h>
#include <stdlib.h>

volatile int sink;

__attribute__((noinline, noclone)) void nothing(void) {
    __asm__ volatile(""); /* or calls of it would be left out */
}

__attribute__((noinline, noclone)) void counts_down(int turns) {
    do {
        sink = turns;
    } while (--turns != 0);
}

int main(int argc, char** argv) {
    const int calls = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < calls; i++) {
        nothing();
        counts_down(3);
    }
    printf("%d\n", sink);
    return 0;
}
