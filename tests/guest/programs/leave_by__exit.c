// Ends by _exit while threads compute: what is buffered stays unwritten, and the status arrives.
#include "../burn.h"

#include <pthread.h>
#include <unistd.h>

static void* compute(void* unused) {
    for (;;) {
        burn(1);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
    burn(50);
    printf("this line stays in its buffer");
    _exit(13);
}
