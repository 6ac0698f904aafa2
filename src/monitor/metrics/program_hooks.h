// The program's control points: hooks that the launcher has planned (hooks/plan_file.h, a file beside the session).
//
// When it acts: begin_hooks() at the program's start, when the first thread is measured; the others with the life of
// threads and of the process, as Process calls them. Contract: as the rest of the monitor. Without a plan nothing
// here does anything.
#pragma once

#include "monitor/threads/thread_state.h"

namespace kymo::monitor {

void begin_hooks(const char* folder, ThreadState* own_thread);
// In the thread concerned.
void begin_thread_hooks(ThreadState& thread);
void end_thread_hooks(ThreadState& thread);
void fork_hooks(ThreadState* own_thread, int pid);
// Where somebody outside has switched metrics off or on, their control points do so from now on. In the handler; a
// look at two words where nothing has changed.
void obey_switches();
// Tells what was left out.
void finish_hooks();

// Whether an address on a stack is a hook's, in place of a caller's; *caller: the caller's return address.
bool is_hooked_return(std::uint64_t address, std::uint64_t* caller);

}  // namespace kymo::monitor
