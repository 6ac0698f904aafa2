// A thread's life as the monitor sees it: what happens when it begins to be measured, and when it ends.
#pragma once

#include "monitor/threads/thread_state.h"

namespace kymo::monitor {

// In the thread, under Quiet: it lives in the registry from now on, and is counted.
void begin_thread(ThreadState& thread, StackBounds stack, const Beginning& beginning);
// The one thread that there is, at the start and in a forked child.
void begin_only_thread(StackBounds stack, ProgramsMask mask);
// The calling thread's state, which ends with the thread; nullptr: it is not measured.
void set_this_thread(ThreadState* thread);
// Runs a thread's function, and ends its state with it where no key is left for that (exit_key.h).
void* run_to_its_end(void* (*start)(void*), void* argument);

}  // namespace kymo::monitor
