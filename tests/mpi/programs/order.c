/* Communicators and windows that the ranks use in different order, name later and free unused; an intercommunicator
 * whose root's side gives nothing; calls that fail. */
#include <mpi.h>
#include <stddef.h>

static char room[1000];

/* The second pair first for rank 0, the first pair first for rank 1. */
static void in_other_order(int rank) {
    MPI_Comm first, second;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    for (int i = 0; i < 5000; ++i) { /* more than there are places for communicators */
        MPI_Comm unused;
        MPI_Comm_dup(MPI_COMM_WORLD, &unused);
        MPI_Comm_free(&unused);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Comm_set_name(second, "second");
    if (rank == 0) {
        MPI_Isend(room, 1000, MPI_BYTE, 1, 0, second, &request);
        MPI_Send(room, 10, MPI_BYTE, 1, 0, first);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(room, 10, MPI_BYTE, 0, 0, first, MPI_STATUS_IGNORE);
        MPI_Recv(room, 1000, MPI_BYTE, 0, 0, second, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

/* The odd ranks give; rank 0 is the root, beside it rank 2. */
static void between(int rank) {
    MPI_Comm half, inter;
    int of_half;
    int given[5] = {0}, taken[5 * 2] = {0};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_rank(half, &of_half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
    const int root = rank % 2 != 0 ? 0 : of_half == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Reduce(rank % 2 != 0 ? given : NULL, rank % 2 != 0 ? NULL : taken, 5, MPI_INT, MPI_SUM, root, inter);
    MPI_Gather(rank % 2 != 0 ? given : NULL, rank % 2 != 0 ? 4 : 777, rank % 2 != 0 ? MPI_INT : MPI_DATATYPE_NULL,
               taken, 4, MPI_INT, root, inter);
    MPI_Bcast(taken, 6, MPI_INT, root, inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Three messages that are too long for their receivers, the last beside one that is not; and a send to nobody. */
static void with_errors(int rank, int ranks) {
    MPI_Comm own;
    MPI_Request requests[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(room, 100, MPI_BYTE, 1, 1, own);
        MPI_Send(room, 100, MPI_BYTE, 1, 2, own);
        MPI_Send(room, 4, MPI_BYTE, 1, 3, own);
        MPI_Send(room, 100, MPI_BYTE, 1, 5, own);
        MPI_Send(room, 6, MPI_BYTE, 1, 6, own);
        MPI_Send(room, 4, MPI_BYTE, ranks, 4, own);
    } else if (rank == 1) {
        MPI_Recv(room, 10, MPI_BYTE, 0, 1, own, MPI_STATUS_IGNORE);
        MPI_Irecv(room, 10, MPI_BYTE, 0, 2, own, &requests[0]);
        MPI_Irecv(room, 10, MPI_BYTE, 0, 3, own, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Irecv(room, 10, MPI_BYTE, 0, 5, own, &requests[0]);
        MPI_Irecv(room, 10, MPI_BYTE, 0, 6, own, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&own);
}

int main(int count, char** words) {
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in_other_order(rank);
    between(rank);
    with_errors(rank, ranks);
    MPI_Finalize();
    return 0;
}
