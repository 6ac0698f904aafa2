// The monitor's work in a thread between two of its rows, as in those rows.
#pragma once

#include "monitor/threads/thread_state.h"

#include <cstdint>

namespace kymo::monitor {

// ns; of `ns`, the known parts in the kernel and in user mode.
struct OwnWorkSince {
    std::uint64_t ns = 0;
    std::uint64_t system_ns = 0;
    std::uint64_t user_ns = 0;
};

// Up to `time`, when a sample was due or the thread ended, since the last call. In the thread, or, at the
// process's end, in the one that ends it.
OwnWorkSince take_own_work(ThreadState& thread, std::uint64_t time);

}  // namespace kymo::monitor
