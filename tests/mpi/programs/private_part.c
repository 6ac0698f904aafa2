/* A part of a program that alone uses MPI, as Python's extensions do (private_host.c loads it for itself). */
#include <mpi.h>

int go(void);
int go(void) {
    int out = 3, in = 0;
    MPI_Request request;
    MPI_Init(0, 0);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return in == 3 ? 0 : 1;
}
