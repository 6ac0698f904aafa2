// A thread calls exit while main computes; handlers registered with atexit run once, in their order.
#include "../burn.h"

#include <pthread.h>

static void first(void) {
    puts("registered first, runs last");
}
static void second(void) {
    burn(20);
    puts("registered last, runs first");
}

static void* leave(void* unused) {
    burn(50);
    exit(21);
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(first);
    atexit(second);
    MUST(pthread_create(&thread, NULL, leave, NULL) == 0);
    for (;;) {
        burn(1);
    }
}
