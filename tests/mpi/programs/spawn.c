/* A world of four that spawns one of two: messages to and from the other world by the communicator between both and
 * by one that holds both, and within the new world. */
#include <mpi.h>

static int numbers[8];

static void parents(char* program, int rank) {
    MPI_Comm children, all;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Send(numbers, 3, MPI_INT, rank % 2, 1, children);
    MPI_Intercomm_merge(children, 0, &all);
    MPI_Recv(numbers, 5, MPI_INT, 4 + rank % 2, 2, all, MPI_STATUS_IGNORE);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&children);
}

static void children(MPI_Comm parents, int rank) {
    MPI_Comm all;
    MPI_Recv(numbers, 3, MPI_INT, rank, 1, parents, MPI_STATUS_IGNORE);
    MPI_Recv(numbers, 3, MPI_INT, rank + 2, 1, parents, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(parents, 1, &all);
    MPI_Send(numbers, 5, MPI_INT, rank, 2, all);
    MPI_Send(numbers, 5, MPI_INT, rank + 2, 2, all);
    MPI_Sendrecv(numbers, 1, MPI_INT, 1 - rank, 3, numbers + 4, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parents);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        parents(argv[0], rank);
    } else {
        children(parent, rank);
    }
    MPI_Finalize();
    return 0;
}
