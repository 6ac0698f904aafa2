/* Preloaded: a rank that is about to finalise MPI says so, in a file of the folder $KYMO_TEST_HOLD named after its
 * process, and waits there until the file `go` exists. So its cells can be read when all is counted and it still
 * runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void hold(void) {
    const char* folder = getenv("KYMO_TEST_HOLD");
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[4096];
    snprintf(path, sizeof path, "%s/held-%d", folder, getpid());
    FILE* file = fopen(path, "w");
    if (file == 0) {
        abort();
    }
    fprintf(file, "%s\n", rank == 0 ? "0" : rank);
    fclose(file);
    snprintf(path, sizeof path, "%s/go", folder);
    while (access(path, F_OK) != 0) {
        usleep(5000);
    }
}

static int finalize(void) {
    int (*real)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "PMPI_Finalize");
    hold();
    return real();
}

int MPI_Finalize(void) {
    return finalize();
}
void mpi_finalize_(int* error) {
    *error = finalize();
}
void mpi_finalize_f08_(int* error) {
    const int result = finalize();
    if (error != 0) {
        *error = result;
    }
}
