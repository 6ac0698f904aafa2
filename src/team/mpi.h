// The team of an MPI job: `mpirun -n 4 kymo report JOB.kymo`.
//
// The job's own MPI library is loaded, and only in such a job: Kymo is not linked with one, so that the same binary
// works under Open MPI and under MPICH and what has its interface (Intel MPI, MVAPICH).
#pragma once

#include "base/result.h"
#include "team/team.h"

#include <memory>

namespace kymo::team {

// Null: this process is not one of several of a job. Errors: it is, and no MPI library can be loaded, or that fails.
// The team's destructor waits for all others, and ends MPI. To be called once, before other threads start.
Result<std::unique_ptr<Team>> join_mpi_job();

}  // namespace kymo::team
