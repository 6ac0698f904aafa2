// A thread's calls of the functions whose occurrences are recorded exactly: number, durations, and the slowest
// calls.
//
// Outermost calls are counted: recursive calls are part of the first one. A call that longjmp has skipped, or that
// the thread's end has cut short, has no known end: it is counted without a duration. If a function's calls turn
// out too short for a clock at both ends, further calls are counted and no longer timed.
//
// The kernel's counts cost a system call, too much for every entry. The thread looks at entries, but not again
// within kFreshNs (longer, if a look is expensive). The counts of a slow call may therefore begin up to that long
// before it; the difference is kept with them.
//
// Contract: made and read by the monitor; begin() and end() in the thread, between any two of its functions, also
// in handlers that interrupt them. No calls, no allocation, no vector registers. Other threads may read meanwhile
// (read_calls()).
#pragma once

#include "base/durations/duration_buckets.h"
#include "cells/ticks.h"
#include "hooks/guest/slots.h"
#include "hooks/guest/slowest_calls.h"

#include <cstddef>
#include <cstdint>

namespace kymo::hooks {

struct Thread;  // it contains one

inline constexpr std::uint64_t kFreshNs = 20'000;
inline constexpr std::uint64_t kTryTimed = 1U
                                           << 20U;  // this many calls are timed before a function is judged too short
inline constexpr std::uint64_t kLeastTimedNs = 500;  // mean of these

// Of one function.
struct FunctionCalls {
    std::uint32_t change = 0;  // odd: a change of the following is in progress
    bool is_timed = false;     // the call that is running
    bool counts_only = false;
    const Slot* running = nullptr;  // the outermost
    std::uint64_t began = 0;        // ticks
    std::uint64_t early = 0;        // ticks from the look at `before` to `began`
    Usage before;
    std::uint64_t calls = 0;
    std::uint64_t cut = 0;      // without a known end
    std::uint64_t untimed = 0;  // ended
    std::uint64_t timed = 0;    // ended
    std::uint64_t sum_ns = 0;
    std::uint64_t counts[kDurationBuckets] = {};
    SlowestCalls slowest;
};

class ThreadCalls {
  public:
    // In zeroed memory of bytes_for(functions).
    static std::size_t bytes_for(std::uint32_t functions) {
        return sizeof(ThreadCalls) + functions * sizeof(FunctionCalls);
    }
    void make(std::uint32_t functions, const cells::TickRate& rate);
    // In a forked child, whose calls begin now: running ones belong to the parent.
    void begin_anew();

    std::uint32_t functions() const { return functions_; }
    const FunctionCalls& of(std::uint32_t function) const { return all()[function]; }

    // A call, whose slot is `slot`, has begun; has ended, or (`is_cut`) has ended at an unknown time.
    void begin(std::uint32_t function, const Thread& thread, const Slot& slot);
    void end(std::uint32_t function, const Slot& slot, bool is_cut);

  private:
    FunctionCalls* all() { return reinterpret_cast<FunctionCalls*>(this + 1); }
    const FunctionCalls* all() const { return reinterpret_cast<const FunctionCalls*>(this + 1); }
    std::uint64_t look(std::uint64_t now);  // the time afterwards

    void finish(FunctionCalls& calls, std::uint64_t now);

    cells::TickRate rate_;
    std::uint64_t fresh_ticks_ = 0;
    std::uint64_t looked_ = 0;  // ticks
    Usage usage_;               // at that time
    std::uint32_t functions_ = 0;
};

// A copy while the thread continues. False: the thread was in the middle of a change all along.
bool read_calls(const FunctionCalls& calls, FunctionCalls& out);

}  // namespace kymo::hooks
