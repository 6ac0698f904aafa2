/* A program of other_mpi.c's library: prints what its call returned, 5 + 10 * 76 + 100 * 80 + 1 + 2. */
#include <stdio.h>
int MPI_Send(const void* buffer, int count, int type, int to, int tag, int communicator);

int main(void) {
    int value = 0;
    printf("%d\n", MPI_Send(&value, 5, 0x4c000405, 76, 80, 0x44000000));
    return 0;
}
