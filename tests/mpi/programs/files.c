/* Files: blocking, at once for all, in two halves, not blocking, by the shared pointer, a file of one rank; a reading
 * that comes to the file's end. Argument: a folder. For four ranks. */
#include <mpi.h>
#include <stdio.h>

static int numbers[64], others[128];

int main(int argc, char** argv) {
    int rank, size;
    char path[4096];
    MPI_File file;
    MPI_Offset end;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "%s/common", argv[1]);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 1000 * rank, numbers, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, 1000 * rank + 40, numbers, 5, MPI_INT, &status);
    MPI_File_iwrite_at(file, 1000 * rank + 60, numbers, 3, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, 1000 * rank + 100, numbers, 2, MPI_DOUBLE);
    MPI_File_write_at_all_end(file, numbers, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, 1000 * rank, others, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 1000 * rank, others, 3, MPI_INT, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    MPI_File_get_size(file, &end);
    MPI_File_read_at(file, end - 8, others, 100, MPI_INT, &status); /* there are two */
    MPI_File_read_at_all_begin(file, 1000 * rank, others, 4, MPI_INT);
    MPI_File_read_at_all_end(file, others, &status);
    MPI_File_close(&file);
    snprintf(path, sizeof path, "%s/own-%d", argv[1], rank);
    for (int i = 0; i < 5000; ++i) { /* once more is the same file; more often than there is room for others */
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        if (i % 2500 == 0) {
            MPI_File_write(file, numbers, 5, MPI_DOUBLE, MPI_STATUS_IGNORE);
        }
        MPI_File_close(&file);
    }
    MPI_Sendrecv_replace(numbers, 3, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
