/* A matrix of rows*size by rows*size doubles, a block of rows a rank, transposed twice: by MPI_Alltoall in
 * MPI_COMM_WORLD, and in a communicator of the ranks of one parity by messages of columns (a derived type). Argument:
 * rows of a block. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size, own, members;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rows = atoi(argv[1]);
    double* matrix = calloc((size_t)rows * (size_t)rows * (size_t)size, sizeof *matrix);
    double* other = calloc((size_t)rows * (size_t)rows * (size_t)size, sizeof *other);
    MPI_Alltoall(matrix, rows * rows, MPI_DOUBLE, other, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);

    MPI_Comm half;
    MPI_Datatype column;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* in the other order */
    MPI_Comm_rank(half, &own);
    MPI_Comm_size(half, &members);
    MPI_Type_vector(rows, 1, rows * size, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int to = 0; to < members; ++to) {
        for (int i = 0; i < rows && to != own; ++i) {
            MPI_Sendrecv(matrix + i, 1, column, to, i, other, rows, MPI_DOUBLE, to, i, half, MPI_STATUS_IGNORE);
        }
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&half);
    /* The handles may now mean something else. */
    MPI_Comm all;
    MPI_Datatype three;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Type_contiguous(3, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    MPI_Sendrecv(matrix, 1, three, (rank + 1) % size, 0, other, 1, three, (rank + size - 1) % size, 0, all,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&three);
    MPI_Comm_free(&all);
    MPI_Finalize();
    free(matrix);
    free(other);
    return 0;
}
