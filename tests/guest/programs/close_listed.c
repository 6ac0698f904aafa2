// Closes every descriptor that /proc/self/fd lists, round after round until none is left, as programs that start
// others do.
#include "../burn.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// How many it met beyond the standard ones and the listing itself.
static int close_listed(void) {
    DIR* folder = opendir("/proc/self/fd");
    MUST(folder != NULL);
    int met = 0;
    for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        const int number = atoi(entry->d_name);
        if (number > 2 && number != dirfd(folder)) {
            close(number);
            ++met;
        }
    }
    closedir(folder);
    return met;
}

static void* compute(void* unused) {
    burn(50);
    return unused;
}

int main(void) {
    MUST(dup(0) > 2 && dup2(0, 100) == 100);
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
    burn(50);
    int rounds = 0;
    while (close_listed() != 0 && rounds < 1000) {
        ++rounds;
    }
    puts(rounds < 1000 ? "closed" : "never ends");
    MUST(pthread_join(thread, NULL) == 0);
    burn(50);
    return 0;
}
