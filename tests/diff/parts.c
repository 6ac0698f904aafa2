/* Parts of work, of which each may be made larger: parts [PART PERCENT], PERCENT of all the work. The program that is
   compared with itself by tests/diff. */
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 6, ROUNDS = 40, UNIT = 600000 };

static volatile double sink;

#define PART(name, step)                                 \
    __attribute__((noinline)) static void name(long n) { \
        double s = 1;                                    \
        for (long i = 0; i < n; ++i) {                   \
            step;                                        \
        }                                                \
        sink = s;                                        \
    }
PART(parse, s += (double)i * 0.5)
PART(look_up, s = s * 1.0000001 + 1)
PART(sort_values, s += 1 / (s + (double)i))
PART(merge, s = s * 0.9999999 + (double)i)
PART(render, s += s * 1e-9 + (double)i)
PART(store, s = s / 1.0000001 + 2)

typedef void (*part)(long);
static const part parts[PARTS] = {parse, look_up, sort_values, merge, render, store};
static const char* const names[PARTS] = {"parse", "look_up", "sort_values", "merge", "render", "store"};
static const double shares[PARTS] = {0.10, 0.15, 0.20, 0.05, 0.30, 0.20};
/* So that a unit of each takes about as long. */
static const double costs[PARTS] = {4, 8, 13, 8, 8, 13};

int main(int argc, char** argv) {
    int slower = argc > 2 ? atoi(argv[1]) : 0;
    double percent = argc > 2 ? atof(argv[2]) : 0;
    if (slower < 0 || slower >= PARTS) {
        return 2;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < PARTS; ++i) {
            double share = shares[i] + (i == slower ? percent / 100 : 0);
            parts[i]((long)(share * 100 * UNIT / costs[i]));
        }
    }
    printf("%s\n", percent > 0 ? names[slower] : "none");
    return 0;
}
