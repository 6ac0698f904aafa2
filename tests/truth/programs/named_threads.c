// Threads that are known by name and by what they have counted, by kymo/metrics.h: worker-0 to worker-(THREADS - 1),
// of which the i-th counts ROUNDS * (i + 1) and then stands still until standard input is closed. Before them come
// two called gone, which count 5 each and end.
#include <kymo/metrics.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static kymo_cell rounds;
static long count;
static atomic_long counted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_over;

static void* end(void* unused) {
    (void)unused;
    kymo_add_counter(rounds, 5);
    return NULL;
}

static void* work(void* number) {
    for (long i = 0; i < count * ((long)number + 1); i++) {
        kymo_add_counter(rounds, 1);
    }
    atomic_fetch_add(&counted, 1);
    pthread_mutex_lock(&lock);
    while (!is_over) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char** argv) {
    const long threads = argc > 2 ? atol(argv[1]) : 1;
    count = argc > 2 ? atol(argv[2]) : 1;
    pthread_t all[1024];
    if (threads > 1024) {
        return 2;
    }
    rounds = kymo_counter("rounds", "");
    // A thread begins with the name of the one that makes it.
    pthread_setname_np(pthread_self(), "gone");
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&all[0], NULL, end, NULL) != 0) {
            return 1;
        }
        pthread_join(all[0], NULL);
    }
    for (long i = 0; i < threads; i++) {
        char name[16];
        snprintf(name, sizeof name, "worker-%ld", i);
        pthread_setname_np(pthread_self(), name);
        if (pthread_create(&all[i], NULL, work, (void*)i) != 0) {
            return 1;
        }
    }
    pthread_setname_np(pthread_self(), "main");
    while (atomic_load(&counted) < threads) {
        usleep(1000);
    }
    puts("counted");
    fflush(stdout);
    getchar();
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (long i = 0; i < threads; i++) {
        pthread_join(all[i], NULL);
    }
    return 0;
}
