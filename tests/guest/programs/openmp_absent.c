/* A program that asks whether there is an OpenMP run time, and has none: weak references, and the loader. */
#include "../burn.h"

#include <dlfcn.h>
#include <stdio.h>

extern void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned) __attribute__((weak));
extern void GOMP_barrier(void) __attribute__((weak));
extern void GOMP_critical_start(void) __attribute__((weak));
extern void omp_set_lock(void*) __attribute__((weak));
extern int omp_get_num_threads(void) __attribute__((weak));

int main(void) {
    printf("%d %d %d %d %d\n", GOMP_parallel != NULL, GOMP_barrier != NULL, GOMP_critical_start != NULL,
           omp_set_lock != NULL, omp_get_num_threads != NULL);
    printf("%d %d\n", dlsym(RTLD_DEFAULT, "GOMP_parallel") != NULL, dlsym(RTLD_DEFAULT, "omp_set_lock") != NULL);
    burn(50);
    return 0;
}
