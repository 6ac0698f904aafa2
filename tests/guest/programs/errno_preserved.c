// errno, the rounding mode and the sticky floating-point flags are what the program made them, however often it is
// interrupted.
#include "../burn.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>

static void* watch(void* unused) {
    volatile double tiny = 1.0;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_UPWARD);
    for (int round = 0; round < 100; ++round) {
        errno = 1000 + round;
        const int64_t end = burn_clock(CLOCK_THREAD_CPUTIME_ID) + 3000000;
        while (burn_clock(CLOCK_THREAD_CPUTIME_ID) < end) {
            for (int i = 0; i < 5000; ++i) {
                MUST(errno == 1000 + round);
                tiny = tiny * 2.0 / 2.0; /* exact: raises nothing */
            }
        }
        MUST(fegetround() == FE_UPWARD);
        MUST(fetestexcept(FE_ALL_EXCEPT) == 0);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, watch, NULL) == 0);
    watch(NULL);
    MUST(pthread_join(thread, NULL) == 0);
    puts("errno and the floating-point environment were preserved");
    return 0;
}
