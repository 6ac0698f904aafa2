// Counts things whose numbers are known, by kymo/metrics.h: THREADS threads, each ROUNDS rounds, then HOW it ends:
// "exit", or "kill" by SIGKILL without a word, or "fork": a child counts 5 more and its parent goes on, or "wait":
// when standard input is closed.
#include <kymo/metrics.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static kymo_cell rounds, inside, even, bytes, largest;
static long count;

static void* work(void* unused) {
    (void)unused;
    for (long i = 0; i < count; i++) {
        KYMO_COUNT_SCOPE(inside);
        KYMO_TIME_SCOPE(0);
        kymo_add_counter(rounds, 1);
        if (kymo_when(i % 2 == 0)) {
            kymo_add_counter(even, 1);
        }
        const kymo_predicate is_inside = {inside, KYMO_EQUAL, 1};
        if (kymo_holds(is_inside)) {
            kymo_add_counter(kymo_indexed(7), 3);
        }
        kymo_add_counter(bytes, (uint64_t)i);
        kymo_raise_counter(largest, (uint64_t)i);
    }
    return NULL;
}

int main(int argc, char** argv) {
    const int threads = argc > 3 ? atoi(argv[1]) : 1;
    count = argc > 3 ? atol(argv[2]) : 1;
    const char* how = argc > 3 ? argv[3] : "exit";
    rounds = kymo_counter("rounds", "");
    inside = kymo_gauge("inside", "");
    even = kymo_counter("even", "rounds");
    bytes = kymo_counter("bytes", "bytes");
    largest = kymo_maximum("largest", "bytes");
    kymo_set_timer(0, kymo_counter("inside_time", "ns"));
    pthread_t all[1024];
    // A hundred at a time: more threads in all than the segment has rows is a case of its own.
    for (int first = 0; first < threads; first += 100) {
        const int until = threads - first < 100 ? threads : first + 100;
        for (int i = first; i < until; i++) {
            if (pthread_create(&all[i - first], NULL, work, NULL) != 0) {
                return 1;
            }
        }
        for (int i = first; i < until; i++) {
            pthread_join(all[i - first], NULL);
        }
    }
    if (strcmp(how, "kill") == 0) {
        raise(SIGKILL);
    }
    if (strcmp(how, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            kymo_add_counter(rounds, 5);
            return 0;
        }
        waitpid(child, NULL, 0);
    }
    if (strcmp(how, "wait") == 0) {
        puts("counted");
        fflush(stdout);
        getchar();
    }
    printf("%s\n", kymo_is_counting() ? "counting" : "not counting");
    return 0;
}
