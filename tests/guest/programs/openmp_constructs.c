/* Every kind of OpenMP construct: regions of all schedules, work sharing, reductions, single with copyprivate,
   ordered, critical, atomic, locks, barriers, nested regions, and what the run time says of itself. */
#include "../burn.h"

#include <omp.h>
#include <stdio.h>

#define N 400

static long in_team(void) {
    long sum = 0;
    int private_value = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum) private(private_value)
    {
#pragma omp single copyprivate(private_value)
        private_value = 7;
        sum += private_value + omp_get_num_threads() * 100;
#pragma omp barrier
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; ++i) {
            sum += i;
        }
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < N; ++i) {
            sum += 2 * i;
        }
#pragma omp for schedule(guided)
        for (int i = 0; i < N; ++i) {
            sum += 3 * i;
        }
#pragma omp sections
        {
#pragma omp section
            sum += 11;
#pragma omp section
            sum += 13;
        }
#pragma omp master
        sum += 17;
    }
    return sum;
}

static long ordered_text(char* text) {
    int at = 0;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(3)
    for (int i = 0; i < 26; ++i) {
#pragma omp ordered
        text[at++] = (char)('a' + i);
    }
    text[at] = 0;
    return at;
}

static void loops(void) {
    long sums[6] = {0};
#pragma omp parallel for schedule(runtime) reduction(+ : sums[0])
    for (int i = 0; i < N; ++i) {
        sums[0] += i;
    }
#pragma omp parallel for schedule(nonmonotonic : dynamic) reduction(+ : sums[1])
    for (int i = 0; i < N; ++i) {
        sums[1] += i;
    }
#pragma omp parallel for schedule(monotonic : guided, 5) reduction(+ : sums[2])
    for (int i = 0; i < N; ++i) {
        sums[2] += i;
    }
#pragma omp parallel sections reduction(+ : sums[3])
    {
#pragma omp section
        sums[3] += 1;
#pragma omp section
        sums[3] += 2;
    }
#pragma omp parallel reduction(task, + : sums[4]) num_threads(3)
    {
#pragma omp for
        for (int i = 0; i < N; ++i) {
            sums[4] += i;
        }
    }
#pragma omp parallel for schedule(static) collapse(2) reduction(+ : sums[5])
    for (int i = 0; i < 20; ++i) {
        for (unsigned long long j = 0; j < 20; ++j) {
            sums[5] += i * (long)j;
        }
    }
    for (int i = 0; i < 6; ++i) {
        printf("%ld ", sums[i]);
    }
    printf("\n");
}

static void locks(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    long a = 0, b = 0, c = 0, d = 0, e = 0;
#pragma omp parallel num_threads(3)
    {
        for (int i = 0; i < 300; ++i) {
            omp_set_lock(&lock);
            ++a;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            ++b;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
#pragma omp critical
            ++c;
#pragma omp critical(named)
            ++d;
#pragma omp atomic
            ++e;
            while (!omp_test_lock(&lock)) {
            }
            ++a;
            omp_unset_lock(&lock);
        }
    }
    printf("%ld %ld %ld %ld %ld, nested %d\n", a, b, c, d, e, omp_test_nest_lock(&nest));
    omp_unset_nest_lock(&nest);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

static void nested(void) {
    int seen[2][2] = {{0}};
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        seen[outer][omp_get_thread_num()] =
            100 * omp_get_level() + 10 * omp_get_ancestor_thread_num(1) + omp_get_team_size(2);
    }
    printf("nested %d %d %d %d\n", seen[0][0], seen[0][1], seen[1][0], seen[1][1]);
}

int main(void) {
    char text[32];
    printf("team %ld\n", in_team());
    printf("ordered %ld %s\n", ordered_text(text), text);
    loops();
    locks();
    nested();
    printf("level %d, threads %d of %d, in parallel %d, dynamic %d\n", omp_get_level(), omp_get_num_threads(),
           omp_get_max_threads(), omp_in_parallel(), omp_get_dynamic());
    burn(50);
    return 0;
}
