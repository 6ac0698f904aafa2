// Ends by quick_exit from a thread, with functions for it and for exit: only the first run.
#include "../burn.h"

#include <pthread.h>
#include <unistd.h>

static void never(void) {
    write(1, "at exit\n", 8);
}
static void first(void) {
    write(1, "first\n", 6);
}
static void last(void) {
    burn(10);
    write(1, "last\n", 5);
}
static void* ends(void* unused) {
    burn(20);
    quick_exit(13);
    return unused;
}

int main(void) {
    pthread_t thread;
    MUST(atexit(never) == 0 && at_quick_exit(last) == 0 && at_quick_exit(first) == 0);
    MUST(pthread_create(&thread, NULL, ends, NULL) == 0);
    burn(20);
    pthread_join(thread, NULL);
    return 98;
}
