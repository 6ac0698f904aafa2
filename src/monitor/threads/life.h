// A thread's life in the monitor: its begin and its end.
#pragma once

#include "monitor/threads/thread_state.h"

namespace kymo::monitor {

// In the thread, under Quiet: from now on it is in the registry, and is counted.
void begin_thread(ThreadState& thread, StackBounds stack, const Beginning& beginning);
// The only thread, at the start and in a forked child.
void begin_only_thread(StackBounds stack, ProgramsMask mask);
// The calling thread's state, which ends with the thread; nullptr: it is not measured.
void set_this_thread(ThreadState* thread);
// Runs a thread's function, and ends its state with it if no key is left for that (exit_key.h).
void* run_to_its_end(void* (*start)(void*), void* argument);

}  // namespace kymo::monitor
