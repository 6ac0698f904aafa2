// short_threads COUNT AT_ONCE: makes COUNT threads that do nothing, AT_ONCE of them alive at the same time, and
// prints what one cost in ns of wall time and of the process's processor time, the process's largest resident size in
// KiB, and how many descriptors it is left with.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static pthread_barrier_t all_there;

static void* nothing(void* alone) {
    if (alone == NULL) {
        pthread_barrier_wait(&all_there);
    }
    return NULL;
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int descriptors(void) {
    int count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL) {
        ++count;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 10000;
    const long wave = argc > 2 ? atol(argv[2]) : 1;
    pthread_t* threads = calloc((size_t)wave, sizeof *threads);
    if (count <= 0 || wave <= 0 || threads == NULL) {
        return 97;
    }
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&all_there, NULL, (unsigned)wave);
    const double begin = now(CLOCK_MONOTONIC);
    const double spent = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long done = 0; done < count; done += wave) {
        for (long i = 0; i < wave; ++i) {
            if (pthread_create(&threads[i], &small, nothing, wave == 1 ? threads : NULL) != 0) {
                return 98;
            }
        }
        for (long i = 0; i < wave; ++i) {
            pthread_join(threads[i], NULL);
        }
    }
    const double wall = (now(CLOCK_MONOTONIC) - begin) / (double)count;
    const double processor = (now(CLOCK_PROCESS_CPUTIME_ID) - spent) / (double)count;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.0f %.0f %ld %d\n", wall, processor, usage.ru_maxrss, descriptors());
    return 0;
}
