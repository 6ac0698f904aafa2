// Who woke a thread: from samples of the tracepoint sched:sched_waking, which the waking thread takes, or of
// sched:sched_wakeup.
#pragma once

#include "import/perf/records.h"

#include <cstdint>
#include <optional>

namespace kymo::import {

struct Wake {
    std::uint32_t thread = 0;  // that was woken; in the kernel's own numbers, of no pid namespace
    std::uint32_t by = 0;      // 0: by an interrupt (a timer's, a device's), whatever thread that interrupted
};

// None: the fields are not those of the two events, as kernels have them that are not real-time ones.
std::optional<Wake> read_wake(const perf::Sample& sample);

}  // namespace kymo::import
