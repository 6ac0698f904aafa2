// The program as our tracee: it, or one of its threads, has called PTRACE_TRACEME (checks for debuggers do), so that
// each of its signals stops it until its parent, which we are, continues it.
//
// We continue a stop with its own signal, so that the program runs as if it were not traced. A tracee that job
// control stops (SIGSTOP, SIGTSTP, …) could be continued by us alone, so we detach: it is stopped and continued
// like any other program. Never blocks.
#pragma once

#include <sys/types.h>

namespace kymo::launch {

// For a stop that wait4(2) reported, by `signal`. False: it is not our tracee, job control has stopped it.
bool continue_tracee(pid_t task, int signal);

// Handles stops and ends of the program's other threads: continues stopped ones, reaps ended ones (a program does not
// end while one of its traced threads is not waited for). Precondition: the caller has no children but the program.
void serve_traced_threads(pid_t program);

}  // namespace kymo::launch
