// The lock of an interpreter that runs one thread at a time.
#pragma once

#include "spacetime/evidence/wait_targets.h"

namespace kymo::findings {

// CPython takes its lock by a condition (Python/ceval_gil.c: `cond` by those that want it, `switch_cond` by those
// that gave it up on demand), and nothing else by one: locks of programs and joins are semaphores. Pure.
bool is_interpreter_lock(const spacetime::WaitTarget& target);

}  // namespace kymo::findings
