/* Linked statically, and without exceptions: outer() ends in a jump to inner(), which is a call within it all the
 * same. */
#include <stdio.h>
#include <stdlib.h>

volatile long sink;

__attribute__((noinline, noclone)) long inner(long a) {
    sink += a;
    return a + 1;
}

__attribute__((noinline, noclone)) long outer(long a) {
    sink = 0;
    return inner(a);
}

int main(int argc, char** argv) {
    const long rounds = argc > 1 ? atol(argv[1]) : 100;
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
        sum += outer(i) + inner(1);
    }
    printf("%ld\n", sum);
    return 0;
}
