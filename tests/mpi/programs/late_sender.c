/* Rank 0 makes data and writes a log of them; rank 1 collects them all, then solves. "bad": each send stands behind
 * the log; "fixed": the sends first, then the log. */
#include "work.h"

#include <mpi.h>
#include <string.h>

enum { kRounds = 40, kCount = 100 };

__attribute__((noinline)) static void make_data(double* data) {
    work_ms(0.5);
    data[0] += 1;
}

__attribute__((noinline)) static void write_log(double* data) {
    work_ms(25);
    data[1] += 1;
}

__attribute__((noinline)) static void collect(double* data) {
    work_ms(1);
    data[2] += 1;
}

__attribute__((noinline)) static void solve(double* data) {
    work_ms(25);
    data[3] += 1;
}

int main(int argc, char** argv) {
    double data[kCount] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int is_bad = strcmp(argv[1], "bad") == 0;
    for (int round = 0; round < kRounds; ++round) {
        if (rank == 0) {
            make_data(data);
            if (is_bad) {
                write_log(data);
            }
            MPI_Send(data, kCount, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(data, kCount, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            collect(data);
        }
    }
    for (int round = 0; round < kRounds; ++round) {
        if (rank != 0) {
            solve(data);
        } else if (!is_bad) {
            write_log(data);
        }
    }
    MPI_Finalize();
    return 0;
}
