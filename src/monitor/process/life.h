// The process's life as the monitor sees it.
//
// When it acts: start() in __libc_start_main, before main and with one thread; finish() once, by whichever thread
// ends the process; after_fork() in a forked child, where only the forking thread is left. What happens to threads is
// in threads/life.h; what each part of the monitor does at these moments, in its own file (part.h).
#pragma once

#include "monitor/process/process.h"

#include <cstdint>

namespace kymo::monitor {

void start(int argc, char** argv, std::uint64_t stack_end);
// Writes what there is to write. After kExec measurement goes on (exec may fail); otherwise it is over.
void finish(Process::End how);
void after_fork();

}  // namespace kymo::monitor
