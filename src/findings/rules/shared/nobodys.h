// Code that the program's author cannot change: the start and end of a parallel job. Pure.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"

namespace kymo::findings {

// In a job of ranks: the work of mpirun and similar, and of MPI_Init and MPI_Finalize. A launcher is a process
// without a rank that started one with a rank, or became one itself (as a fork is until its exec).
bool is_nobodys(const spacetime::Evidence& evidence, const Finding& finding);

}  // namespace kymo::findings
