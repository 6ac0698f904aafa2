// The process's life in the monitor.
//
// When it acts: start() in __libc_start_main, before main and with one thread; finish() once, by whichever thread
// ends the process; after_fork() in a forked child, where only the forking thread is left. Threads are handled in
// threads/life.h; each part's work at these moments is in its own file (part.h).
#pragma once

#include "monitor/process/process.h"

#include <cstdint>

namespace kymo::monitor {

void start(int argc, char** argv, std::uint64_t stack_end);
// Writes the final rows. After kExec measurement continues (exec may fail); otherwise it is over.
void finish(Process::End how);
void after_fork();

}  // namespace kymo::monitor
