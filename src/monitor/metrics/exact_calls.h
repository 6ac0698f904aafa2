// Occurrences of functions, exactly (`kymo record --for REC.kymo --exact`): rows of what the hooks have counted
// (hooks/guest/thread_calls.h).
//
// When it acts: as a part would (part.h), told by the program's hooks, whose calls these are: for a thread when it
// begins and ends, and for all that live when the process ends; and at samples, now and then, so that a process that
// is killed loses little. Where the plan of hooks wants no occurrences nothing here does anything.
#pragma once

#include "base/exclusion.h"
#include "cells/ticks.h"
#include "monitor/process/process.h"

#include <cstdint>

namespace kymo::monitor {

inline constexpr std::uint64_t kTellCallsEveryNs = 5'000'000'000;

struct ThreadState;

class ExactCallRows {
  public:
    // The hooks are there, and want so many functions.
    void begin_counting(std::uint32_t functions);

    // After hooks::begin_thread().
    void thread_begin(ThreadState& thread);
    // After hooks::end_thread().
    void thread_end(ThreadState& thread);
    void after_fork(ThreadState* own);
    void finish();
    // In the handler.
    void at_sample(ThreadState& thread, std::uint64_t now);

  private:
    std::uint32_t functions_ = 0;
    cells::TickRate rate_;
    Lock lock_;  // around what a thread has, where another may be reading it
};

extern ExactCallRows exact_call_rows;

}  // namespace kymo::monitor
