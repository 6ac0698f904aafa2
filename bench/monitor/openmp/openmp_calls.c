// What OpenMP's constructs take where nobody has to wait long: a free lock, a free critical section, an empty
// parallel region, a barrier of the team. Prints the median nanoseconds of each, over short rounds. openmp_bench.py
// compares.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostRounds = 1000, kConstructs = 4 };

static int by_value(const void* a, const void* b) {
    const double left = *(const double*)a;
    const double right = *(const double*)b;
    return (left > right) - (left < right);
}

static volatile long work;

static void locks(int calls) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int i = 0; i < calls; ++i) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

static void criticals(int calls) {
    for (int i = 0; i < calls; ++i) {
#pragma omp critical
        work = work + 1;
    }
}

static void regions(int calls) {
    for (int i = 0; i < calls; ++i) {
#pragma omp parallel
        {
            __asm__ volatile("" ::: "memory");
        }
    }
}

static void barriers(int calls) {
#pragma omp parallel
    for (int i = 0; i < calls; ++i) {
#pragma omp barrier
    }
}

int main(int argc, char** argv) {
    static const struct {
        void (*run)(int calls);
        int calls;
    } constructs[kConstructs] = {{locks, 10000}, {criticals, 10000}, {regions, 100}, {barriers, 300}};
    static double seen[kConstructs][kMostRounds];
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    if (rounds < 1 || rounds > kMostRounds) {
        rounds = kMostRounds;
    }
    regions(10);  // the team is made
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < kConstructs; ++i) {
            const double begin = omp_get_wtime();
            constructs[i].run(constructs[i].calls);
            seen[i][round] = (omp_get_wtime() - begin) * 1e9 / constructs[i].calls;
        }
    }
    for (int i = 0; i < kConstructs; ++i) {
        qsort(seen[i], (size_t)rounds, sizeof seen[i][0], by_value);
        printf("%.3f ", seen[i][rounds / 2]);
    }
    printf("\n");
    return 0;
}
