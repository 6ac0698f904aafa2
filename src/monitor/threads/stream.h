// A thread's stream in the recording: its beginning, with the thread's origin, and its end, with its account.
#pragma once

#include "monitor/threads/thread_state.h"

namespace kymo::monitor {

// Ensures that the process's file exists and contains the thread's `stream` row; before any row of that stream. In
// the thread, or where it does not run. False: there is no file; nothing of the thread is written.
bool announce(ThreadState& thread);

// The stream's last row. `own_thread`: called by the thread itself. Returns what it has written of its counters.
CounterValues write_stream_end(ThreadState& thread, bool own_thread);

}  // namespace kymo::monitor
