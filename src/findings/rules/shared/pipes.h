// Waits for other processes of the run, by the pipes between them.
#pragma once

#include "spacetime/evidence/evidence.h"

namespace kymo::findings {

// Whether a pipe leads to another process of this run, or another thread of the same one. A pipe made by a process
// itself does if that has children, was started by another, or has threads that read from pipes and others that write
// to them; the standard ones of the run's first process lead outside. Pure.
bool is_pipe_within_run(const spacetime::Evidence& evidence, const spacetime::WaitTarget& target);

}  // namespace kymo::findings
