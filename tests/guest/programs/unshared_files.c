// Threads with a table of descriptors of their own, which may close all they see.
#include "../burn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int before;

static void* work(void* own) {
    burn(20);
    if (own != NULL) {
        MUST(syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_UNSHARE) == 0);
    } else {
        MUST(unshare(CLONE_FILES) == 0);
        MUST(close_range(3, ~0U, 0) == 0);
    }
    burn(40);
    const int file = open("/dev/null", O_RDONLY);
    return (void*)(long)(file == 3);
}

int main(void) {
    before = open("/dev/zero", O_RDONLY);
    for (int round = 0; round < 6; ++round) {
        pthread_t threads[2];
        void* low[2];
        MUST(pthread_create(&threads[0], NULL, work, NULL) == 0 &&
             pthread_create(&threads[1], NULL, work, &before) == 0);
        MUST(pthread_join(threads[0], &low[0]) == 0 && pthread_join(threads[1], &low[1]) == 0);
        char byte = 1;
        MUST(read(before, &byte, 1) == 1);
        printf("lowest free: %d %d, still open here: %d\n", low[0] != NULL, low[1] != NULL, byte == 0);
        burn(10);
    }
    return 0;
}
