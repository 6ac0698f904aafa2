/* Three kernels that time themselves: a ring exchange, a transpose, a master with workers. Prints for each the wall
 * time of the slowest rank and the processor time of all, in seconds. Argument: how often each is done. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;

static double spent(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static volatile double sink;
static void compute(int rounds) {
    double value = 1;
    for (int i = 0; i < rounds; i++) {
        value = value * 1.0000001 + 1e-9;
    }
    sink = value;
}

/* Each rank works on its part, and passes its edge on: 8 KiB. */
static void ring(int rounds) {
    static double out[1024], in[1024];
    MPI_Request pair[2];
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0; round < rounds; round++) {
        compute(20000);
        MPI_Irecv(in, 1024, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &pair[0]);
        MPI_Isend(out, 1024, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &pair[1]);
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    }
}

/* A matrix of 256 by 256 doubles, blocks of rows, transposed. */
static void transpose(int rounds) {
    const int rows = 256 / size;
    const size_t block = (size_t)rows * (size_t)rows;
    double* matrix = calloc(block * (size_t)size, sizeof *matrix);
    double* other = calloc(block * (size_t)size, sizeof *other);
    for (int round = 0; round < rounds; round++) {
        MPI_Alltoall(matrix, (int)block, MPI_DOUBLE, other, (int)block, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int part = 0; part < size; part++) {
            for (int i = 0; i < rows; i++) {
                for (int k = 0; k < rows; k++) {
                    matrix[(size_t)part * block + (size_t)(k * rows + i)] =
                        other[(size_t)part * block + (size_t)(i * rows + k)];
                }
            }
        }
    }
    free(matrix);
    free(other);
}

/* Rank 0 hands out pieces of work, to whoever asks; a number says which, -1 that there is none. */
static void workers(int pieces) {
    int piece = 0;
    MPI_Status status;
    if (rank != 0) {
        for (;;) {
            MPI_Send(&piece, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&piece, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (piece < 0) {
                return;
            }
            compute(10000 + 20000 * (piece % 3));
        }
    }
    const int none = -1;
    for (int left = size - 1; left > 0;) {
        int asked;
        MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        const int given = piece < pieces ? piece++ : none;
        left -= given < 0;
        MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
    }
}

static void timed(const char* name, void (*kernel)(int), int rounds) {
    MPI_Barrier(MPI_COMM_WORLD);
    double own[2] = {MPI_Wtime(), spent()}, wall, processor;
    kernel(rounds);
    own[0] = MPI_Wtime() - own[0];
    own[1] = spent() - own[1];
    MPI_Reduce(&own[0], &wall, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own[1], &processor, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s %.6f %.6f\n", name, wall, processor);
    }
}

int main(int argc, char** argv) {
    const int times = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    timed("warm-up", ring, 200);
    timed("ring", ring, 10000 * times);
    timed("transpose", transpose, 3000 * times);
    timed("workers", workers, 10000 * times);
    MPI_Finalize();
    return 0;
}
