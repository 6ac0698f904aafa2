// Functions in functions, called through code that the compiler puts on the stack.
#include "../burn.h"

static __attribute__((noinline)) long apply(long (*function)(long), long to) {
    burn(1);
    return function(to) + 1;
}

int main(void) {
    long calls = 0;
    long count(long x) {
        ++calls;
        burn(2);
        return x + calls;
    }
    long all = 0;
    for (int i = 0; i < 100; ++i) {
        all += apply(count, i);
    }
    printf("%ld calls, %ld\n", calls, all);
    return 0;
}
