/* Regions, loops, sections and task groups that are cancelled. Cancellation is switched on by the environment alone,
   and before the run time is loaded: so the program starts itself again. */
#include "../burn.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    (void)argc;
    if (getenv("OMP_CANCELLATION") == NULL) {
        setenv("OMP_CANCELLATION", "true", 1);
        execv("/proc/self/exe", argv);
        return 99;
    }
    int after_loop = 0, after_region = 0, after_barrier = 0, sections = 0, late_tasks = 0;
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 30; ++i) {
#pragma omp cancel for if (i == 3)
#pragma omp cancellation point for
            }
#pragma omp atomic
            ++after_loop;
#pragma omp sections
            {
#pragma omp section
                {
#pragma omp cancel sections
                    ++sections;
                }
#pragma omp section
                {
#pragma omp cancellation point sections
                }
            }
#pragma omp barrier
#pragma omp single
            {
#pragma omp taskgroup
                {
#pragma omp task
                    {
#pragma omp cancel taskgroup
                        ++late_tasks;
                    }
                }
            }
#pragma omp cancel parallel
#pragma omp atomic
            ++after_region;
#pragma omp barrier
#pragma omp atomic
            ++after_barrier;
        }
    }
    printf("%d, after the loop %d, sections %d, tasks %d, region %d %d\n", omp_get_cancellation(), after_loop,
           sections, late_tasks, after_region, after_barrier);
    burn(50);
    return 0;
}
