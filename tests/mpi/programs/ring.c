/* A ring: every rank sends to the next and receives from the one before. Arguments: rounds, integers a message. Each
 * round the message goes by another of five ways. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rounds = atoi(argv[1]), count = atoi(argv[2]);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int* out = calloc((size_t)count + 1, sizeof *out);
    int* in = calloc((size_t)count + 1, sizeof *in);
    MPI_Request persistent[2], pair[2];
    MPI_Status status;
    MPI_Send_init(out, count, MPI_INT, next, 5, MPI_COMM_WORLD, &persistent[0]);
    MPI_Recv_init(in, count, MPI_INT, before, 5, MPI_COMM_WORLD, &persistent[1]);
    for (int round = 0; round < rounds; ++round) {
        switch (round % 5) {
            case 0:
                MPI_Sendrecv(out, count, MPI_INT, next, 0, in, count, MPI_INT, before, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                break;
            case 1:
                MPI_Irecv(in, count + 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &pair[0]);
                MPI_Isend(out, count, MPI_INT, next, 1, MPI_COMM_WORLD, &pair[1]);
                MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
                break;
            case 2:
                MPI_Startall(2, persistent);
                MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
                break;
            case 3:
                MPI_Isend(out, count, MPI_INT, next, 3, MPI_COMM_WORLD, &pair[0]);
                MPI_Recv(in, count, MPI_INT, before, 3, MPI_COMM_WORLD, &status);
                MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
                break;
            default: {
                int done = 0;
                MPI_Irecv(in, count, MPI_INT, before, 4, MPI_COMM_WORLD, &pair[0]);
                MPI_Issend(out, count, MPI_INT, next, 4, MPI_COMM_WORLD, &pair[1]);
                while (done < 2) {
                    int which[2], now = 0;
                    MPI_Testsome(2, pair, &now, which, MPI_STATUSES_IGNORE);
                    done += now == MPI_UNDEFINED ? 0 : now;
                }
            }
        }
    }
    MPI_Request_free(&persistent[0]);
    MPI_Request_free(&persistent[1]);
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
