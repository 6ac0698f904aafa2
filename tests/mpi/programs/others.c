/* What the other programs leave out: collectives, one-sided calls, threads, what is cancelled, nobody as a peer. For
 * four ranks. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>

static int rank, size, next, before;
static int numbers[64], others[64];

static void collectives(void) {
    MPI_Request request;
    int counts[4] = {1, 2, 3, 4}, places[4] = {0, 1, 3, 6};
    double sums[5] = {0}, results[5];
    MPI_Bcast(numbers, 10, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Reduce(sums, results, 5, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gatherv(numbers, rank + 1, MPI_INT, others, counts, places, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Scatter(numbers, 2, MPI_INT, others, 2, MPI_INT, 3, MPI_COMM_WORLD);
    MPI_Reduce_scatter(numbers, others, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    /* To rank i i elements, characters and shorts in turns: 10 bytes in all. */
    MPI_Datatype sent[4] = {MPI_CHAR, MPI_SHORT, MPI_CHAR, MPI_SHORT}, received[4];
    int sizes[4] = {0, 1, 2, 3}, same[4], from[4] = {0, 8, 16, 24};
    for (int i = 0; i < 4; ++i) {
        same[i] = rank;
        received[i] = sent[rank];
    }
    MPI_Alltoallw(numbers, sizes, from, sent, others, same, from, received, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallgather(numbers, 2, MPI_INT, others, 2, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

static void one_sided(void) {
    MPI_Win window;
    MPI_Request request;
    int one = 1, result = 0;
    MPI_Win_create(others, sizeof others, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(numbers, 7, MPI_INT, next, 0, 7, MPI_INT, window);
    MPI_Accumulate(numbers, 2, MPI_INT, next, 8, 2, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, before, 0, window);
    MPI_Get(numbers, 3, MPI_INT, before, 0, 3, MPI_INT, window);
    MPI_Rput(numbers + 10, 5, MPI_INT, before, 20, 5, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(&one, &result, MPI_INT, before, 30, MPI_SUM, window);
    MPI_Win_unlock(before, window);
    MPI_Win_free(&window);
}

static void* send_some(void* tag) {
    int out = 0, in = 0;
    for (int i = 0; i < 50; ++i) {
        MPI_Sendrecv(&out, 1, MPI_INT, next, (int)(intptr_t)tag, &in, 1, MPI_INT, before, (int)(intptr_t)tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return 0;
}

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    collectives();
    one_sided();
    /* Nobody. */
    MPI_Request request;
    MPI_Send(numbers, 5, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(numbers, 5, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* From itself, asked for five times before it is sent. */
    int found = 0, out = 7, in = 0;
    MPI_Irecv(&in, 1, MPI_INT, rank, 98, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 5; ++i) {
        MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    }
    MPI_Send(&out, 1, MPI_INT, rank, 98, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* Never sent. */
    MPI_Irecv(numbers, 5, MPI_INT, next, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_t threads[2];
        for (intptr_t i = 0; i < 2; ++i) {
            pthread_create(&threads[i], 0, send_some, (void*)(100 + i));
        }
        for (int i = 0; i < 2; ++i) {
            pthread_join(threads[i], 0);
        }
    }
    MPI_Finalize();
    return provided == MPI_THREAD_MULTIPLE ? 0 : 3;
}
