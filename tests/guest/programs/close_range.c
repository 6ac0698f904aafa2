// Closes every descriptor above the standard ones, twice, computes on, and finds its own descriptors where it expects
// them.
#include "../burn.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(50);
    return unused;
}

int main(void) {
    for (int round = 0; round < 2; ++round) {
        pthread_t thread;
        burn(50);
        MUST(syscall(SYS_close_range, 3U, ~0U, 0U) == 0);
        burn(50);
        const int file = open("/dev/null", O_RDWR);
        MUST(file == 3);
        MUST(write(file, "x", 1) == 1);
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
        burn(50);
        MUST(pthread_join(thread, NULL) == 0);
        MUST(write(file, "x", 1) == 1);
        MUST(close(file) == 0);
    }
    puts("closed");
    return 0;
}
