/* All ranks compute and add up. "bad": rank 1 writes its log before each sum, so that the others wait for it;
 * "fixed": behind all of them. */
#include "work.h"

#include <mpi.h>
#include <string.h>

enum { kRounds = 40 };

__attribute__((noinline)) static void compute(double* value) {
    work_ms(2);
    *value += 1;
}

__attribute__((noinline)) static void write_log(double* value) {
    work_ms(30);
    *value += 1;
}

int main(int argc, char** argv) {
    double value = 0, sum = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int is_bad = strcmp(argv[1], "bad") == 0;
    for (int round = 0; round < kRounds; ++round) {
        compute(&value);
        if (is_bad && rank == 1) {
            write_log(&value);
        }
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int round = 0; !is_bad && rank == 1 && round < kRounds; ++round) {
        write_log(&value);
    }
    MPI_Finalize();
    return 0;
}
