// work MS: computes for so many milliseconds of processor time, says so, and ends with 7. For another C library.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double spent_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char** argv) {
    static volatile double value = 1;
    const double end = spent_ms() + (argc > 2 ? atof(argv[2]) : 0);
    while (spent_ms() < end) {
        for (int i = 0; i < 20000; ++i) {
            value = value * 1.0000001 + 0.5;
        }
    }
    printf("worked %s\n", argc > 2 ? argv[2] : "0");
    return 7;
}
