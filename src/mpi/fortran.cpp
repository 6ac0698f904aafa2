#include "mpi/fortran.h"

#include "mpi/real.h"

#include <dlfcn.h>

namespace kymo::mpi {
namespace {

// A constant that is identified by its address: a common block, whose name differs between compilers.
struct Special {
    const char* spellings[4];
    const void* addresses[4] = {};
    bool looked_up = false;

    bool is(const void* address) {
        if (!__atomic_load_n(&looked_up, __ATOMIC_ACQUIRE)) {
            for (int i = 0; i < 4; ++i) {
                addresses[i] = dlsym(RTLD_DEFAULT, spellings[i]);
            }
            __atomic_store_n(&looked_up, true, __ATOMIC_RELEASE);
        }
        for (const void* known : addresses) {
            if (address == known && known != nullptr) {
                return true;
            }
        }
        return false;
    }
};

constinit Special status_ignore{{"mpi_fortran_status_ignore_", "mpi_fortran_status_ignore",
                                 "mpi_fortran_status_ignore__", "MPI_FORTRAN_STATUS_IGNORE"}};
constinit Special statuses_ignore{{"mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore",
                                   "mpi_fortran_statuses_ignore__", "MPI_FORTRAN_STATUSES_IGNORE"}};
constinit Special in_place{
    {"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"}};

}  // namespace

bool is_fortran_status_ignored(const void* address) {
    return status_ignore.is(address);
}

bool is_fortran_statuses_ignored(const void* address) {
    return statuses_ignore.is(address);
}

bool is_fortran_in_place(const void* address) {
    return in_place.is(address);
}

MPI_Status status_at(const void* statuses, int i) {
    MPI_Status status{};
    status.MPI_SOURCE = MPI_PROC_NULL;
    if (!is_fortran_statuses_ignored(statuses)) {
        real_calls.Status_f2c(reinterpret_cast<const MPI_Fint*>(static_cast<const FortranStatus*>(statuses) + i),
                              &status);
    }
    return status;
}

}  // namespace kymo::mpi
