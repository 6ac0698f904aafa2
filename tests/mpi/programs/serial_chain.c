/* A sweep over ranks. "bad": a token goes round, and who has it works; "fixed": everybody works, then the token goes.
 */
#include "work.h"

#include <mpi.h>
#include <string.h>

enum { kRounds = 60 };

__attribute__((noinline)) static void sweep(int* token) {
    work_ms(12);
    *token += 1;
}

int main(int argc, char** argv) {
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int is_bad = strcmp(argv[1], "bad") == 0;
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0; round < kRounds; ++round) {
        if (!is_bad) {
            sweep(&token);
        }
        if (rank != 0 || round != 0) {
            MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (is_bad) {
            sweep(&token);
        }
        if (rank != size - 1 || round != kRounds - 1) {
            MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
