// Threads with the smallest stack that is allowed: whatever runs on it besides the program has to be modest.
#include "../burn.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(20);
    return unused;
}

int main(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    MUST(pthread_attr_setstacksize(&small, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
    for (int i = 0; i < 10; ++i) {
        pthread_t thread;
        MUST(pthread_create(&thread, &small, compute, NULL) == 0);
        MUST(pthread_join(thread, NULL) == 0);
    }
    puts("small stacks");
    return 0;
}
