/* An MPI library of another kind, as far as the wrappers can see: handles are integers, as MPICH has them. */
int PMPI_Send(const void* buffer, int count, int type, int to, int tag, int communicator) {
    return buffer == 0 ? -1 : count + 10 * to + 100 * tag + (type == 0x4c000405) + 2 * (communicator == 0x44000000);
}
__attribute__((weak, alias("PMPI_Send"))) int MPI_Send(const void* buffer, int count, int type, int to, int tag,
                                                       int communicator);
