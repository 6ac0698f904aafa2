// Counts rows of its own in one of two functions that take about as long, so that it is known where they are counted;
// a child counts too. With a word: declares more metrics than samples have room for, and the rows last.
#include <kymo/metrics.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kTurns = 3, kRows = 30000, kRowsOfChild = 1000, kAfter = 15000, kWork = 3000, kMore = 16 };

static volatile unsigned long sink;
static kymo_cell rows;

// Works on for a while after the last row: what was counted is beside the next sample, which may be late.
static void counting(int count) {
    for (int row = 0; row < count + kAfter; ++row) {
        for (int i = 0; i < kWork; ++i) {
            sink += (unsigned long)i;
        }
        if (row < count) {
            kymo_add_counter(rows, 1);
        }
    }
}

static void resting(int count) {
    for (int row = 0; row < count; ++row) {
        for (int i = 0; i < kWork; ++i) {
            sink += (unsigned long)i;
        }
    }
}

int main(int argc, char** argv) {
    (void)argv;
    if (argc > 1) {
        static char names[kMore][8];
        for (int i = 0; i < kMore; ++i) {
            snprintf(names[i], sizeof names[i], "more%d", i);
            kymo_add_counter(kymo_counter(names[i], ""), 1);
        }
    }
    rows = kymo_counter("rows", "");
    const kymo_cell kept = kymo_gauge("kept", "");
    const kymo_cell spent = kymo_counter("spent", "ns");
    for (int turn = 0; turn < kTurns; ++turn) {
        counting(kRows);
        kymo_add_counter(kymo_indexed(12), 7);
        resting(kRows);
        kymo_set_counter(kept, (uint64_t)turn);
        kymo_add_counter(spent, 1);
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        counting(kRowsOfChild);
        resting(kRows);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("rows %d\ncell 12 %d\n", kTurns * kRows + kRowsOfChild, kTurns * 7);
    return 0;
}
