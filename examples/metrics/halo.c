/* A program of four ranks or more for `make demo-metrics`: a strip of a grid each, whose edges go to the neighbours
 * in every step, and a sum over all ranks every tenth. Says itself how many messages that makes.
 *
 *     halo [STEPS [STEP_MS [HOLD_MS]]]    rests so long after each step, and before its end */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kWidth = 1024, kRows = 64 };

static void rest(int ms) {
    struct timespec left = {ms / 1000, (ms % 1000) * 1000000L};
    while (ms > 0 && nanosleep(&left, &left) != 0) {
    }
}

static double relax(double* grid) {
    double change = 0;
    for (int row = 1; row <= kRows; ++row) {
        for (int column = 1; column + 1 < kWidth; ++column) {
            double* at = grid + row * kWidth + column;
            const double mean = (at[-1] + at[1] + at[-kWidth] + at[kWidth]) / 4;
            change += mean - *at;
            *at = mean;
        }
    }
    return change;
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int steps = argc > 1 ? atoi(argv[1]) : 200;
    const int step_ms = argc > 2 ? atoi(argv[2]) : 0;
    const int hold_ms = argc > 3 ? atoi(argv[3]) : 0;
    const int above = rank == 0 ? MPI_PROC_NULL : rank - 1;
    const int below = rank + 1 == size ? MPI_PROC_NULL : rank + 1;
    double* grid = calloc((size_t)(kRows + 2) * kWidth, sizeof *grid);
    for (int column = 0; rank == 0 && column < kWidth; ++column) {
        grid[column] = 1;
    }
    for (int step = 0; step < steps; ++step) {
        MPI_Sendrecv(grid + kRows * kWidth, kWidth, MPI_DOUBLE, below, 0, grid, kWidth, MPI_DOUBLE, above, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(grid + kWidth, kWidth, MPI_DOUBLE, above, 1, grid + (kRows + 1) * kWidth, kWidth, MPI_DOUBLE,
                     below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double change = relax(grid), all = 0;
        if (step % 10 == 9) {
            MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        rest(step_ms);
    }
    if (rank == 0) {
        printf("each rank sent %d messages of %zu bytes to each neighbour\n", steps, kWidth * sizeof *grid);
        fflush(stdout);
    }
    rest(hold_ms);
    free(grid);
    MPI_Finalize();
    return 0;
}
