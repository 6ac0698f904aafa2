// Waits without a return: the thread is still in one when the process ends, or has left it by a longjmp, or by
// ending itself.
#pragma once

#include <cstdint>

namespace kymo::monitor {

struct ThreadState;

// The wait that the thread has open at `now`, if it has lasted long enough for a row. Only the caller may use the
// thread's stream.
void write_unfinished_wait(ThreadState& thread, std::uint64_t now, bool own_thread);

}  // namespace kymo::monitor
