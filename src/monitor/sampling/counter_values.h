// The values of a thread's counters, and the results of opening them.
#pragma once

#include "events/session.h"

#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

// The session's events and, behind them, the kernel time that a timer thread reads itself.
inline constexpr std::size_t kMaxValues = events::kMaxEvents + 1;

struct CounterValues {
    std::uint64_t value[kMaxValues] = {};  // session order; then system time
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    std::uint64_t kernel_lost = 0;
};

enum class CounterKind : std::uint8_t { kNone = 0, kPerfEvents = 1, kThreadTimer = 2 };

struct CounterOutcome {
    CounterKind kind = CounterKind::kNone;
    bool no_buffer = false;
    bool silent = false;          // it was opened silent (set_silent())
    int error = 0;                // why performance events failed (errno); 0: they did not, or not known
    std::uint32_t missing = 0;    // bit i: event i could not be opened
    std::uint32_t user_only = 0;  // bit i: event i had to be limited to user mode
};

// One overflow. `pc` 0: not known from the record; the signal's own context has it.
struct Overflow {
    std::uint64_t time = 0;
    std::uint64_t pc = 0;
    std::uint32_t processor = 0;
    std::uint32_t event = 0;
    const CounterValues* values = nullptr;
    bool at_tick = false;    // at the kernel's tick, not after a period of the event
    bool in_kernel = false;  // which found the kernel at work
};

}  // namespace kymo::monitor
