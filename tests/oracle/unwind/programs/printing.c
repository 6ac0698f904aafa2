// Formatting: doubles (multi-precision assembly routines), strings, integers; and reading them back.
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

__attribute__((noinline)) void scenario(int n) {
    char text[512];
    snprintf(text, sizeof text, "%.17g %a %s %5d %-10lx|%c", 1.0 / (n + 2), 3.25 * n, "text", n, (unsigned long)n,
             'c');
    printf("%f %e\n", 1e300 / n, 1e-300 * n);
    sink = strtod("123456789.123456789e-30", NULL) + (double)strtol("-77", NULL, 0);
    puts(text);
    fflush(stdout);
}

int main(int argc, char** argv) {
    (void)argv;
    scenario(argc);
    return 0;
}
