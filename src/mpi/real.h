// The MPI library itself: its PMPI_ entry points, looked up at the first MPI call.
//
// Not linked: this library is preloaded into programs that may have no MPI, or load it later. The generated table
// (wrappers.py) fills `real_calls` by dlsym; a missing entry stays null, and its wrapper is then never reached.
// Constants of mpi.h that are addresses of data are weak, so null if MPI was not loaded globally (a program that
// loads it privately is called through, not counted).
#pragma once

// Open MPI's predefined handles are the addresses of these.
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_group_null
#pragma weak ompi_request_null
#pragma weak ompi_mpi_win_null
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_mpi_file_null

#include <mpi.h>

namespace kymo::mpi {

// dlsym in the global scope, otherwise in the named library if it is loaded at all.
void* find_real(const char* name, const char* library);

}  // namespace kymo::mpi
