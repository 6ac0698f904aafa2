// Every descriptor is used up, threads are made and ended meanwhile, and all can be closed and had again: the same
// number each time.
#include "../burn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(10);
    return unused;
}

int main(void) {
    struct rlimit limit = {300, 300};
    int lowest[2], highest[2];
    MUST(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    for (int round = 0; round < 2; ++round) {
        pthread_t threads[4];
        lowest[round] = highest[round] = -1;
        for (int file; (file = open("/dev/null", O_RDONLY)) >= 0; highest[round] = file) {
            lowest[round] = lowest[round] < 0 ? file : lowest[round];
        }
        MUST(errno == EMFILE);
        for (int i = 0; i < 4; ++i) {
            MUST(pthread_create(&threads[i], NULL, compute, NULL) == 0);
        }
        for (int i = 0; i < 4; ++i) {
            MUST(pthread_join(threads[i], NULL) == 0);
        }
        for (int file = lowest[round]; file <= highest[round]; ++file) {
            close(file);
        }
    }
    printf("the same: %d, from %d\n", lowest[0] == lowest[1] && highest[0] >= 200, lowest[0]);
    return 0;
}
