// Waits for other processes of the run, by the pipes between them.
#pragma once

#include "spacetime/evidence/evidence.h"

namespace kymo::findings {

// Does a pipe lead to another process of this run? One that a process made itself does where it has children or was
// started by another; the standard ones of the run's first process come from outside. Pure.
bool is_pipe_within_run(const spacetime::Evidence& evidence, const spacetime::WaitTarget& target);

}  // namespace kymo::findings
