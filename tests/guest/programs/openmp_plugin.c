/* OpenMP in a plug-in: the program itself is not linked with a run time, which comes with the plug-in. */
#include <omp.h>

int openmp_work(int threads) {
    int sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; ++i) {
            sum += i;
        }
#pragma omp barrier
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
#pragma omp critical
        ++sum;
    }
    omp_destroy_lock(&lock);
    return sum;
}
