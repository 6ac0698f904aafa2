/* A master (rank 0) deals tasks to the workers in turn, task i of i bytes; each answers with i/2 bytes, which the
 * master takes as they come: by MPI_Probe, MPI_Mprobe and MPI_Waitany in turn. Argument: tasks. */
#include <mpi.h>
#include <stdlib.h>

static void work(int tasks, int rank, int workers, char* buffer) {
    for (int task = rank - 1; task < tasks; task += workers) {
        MPI_Recv(buffer, tasks, MPI_BYTE, 0, task, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(buffer, task / 2, MPI_BYTE, 0, task % 3, MPI_COMM_WORLD);
    }
}

static void deal(int tasks, int workers, char* buffer) {
    MPI_Request answers[2];
    for (int task = 0; task < tasks; ++task) {
        MPI_Send(buffer, task, MPI_BYTE, 1 + task % workers, task, MPI_COMM_WORLD);
    }
    for (int task = 0; task < tasks; ++task) {
        MPI_Status status;
        MPI_Message message;
        int which = 0;
        switch (task % 3) {
            case 0:
                MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
                MPI_Recv(buffer, tasks, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                break;
            case 1:
                MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
                MPI_Mrecv(buffer, tasks, MPI_BYTE, &message, MPI_STATUS_IGNORE);
                break;
            default:
                MPI_Irecv(buffer, tasks, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &answers[0]);
                answers[1] = MPI_REQUEST_NULL;
                MPI_Waitany(2, answers, &which, &status);
        }
    }
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int tasks = atoi(argv[1]);
    char* buffer = calloc((size_t)tasks + 1, 1);
    if (rank == 0) {
        deal(tasks, size - 1, buffer);
    } else {
        work(tasks, rank, size - 1, buffer);
    }
    MPI_Finalize();
    free(buffer);
    return 0;
}
