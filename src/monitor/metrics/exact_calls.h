// Occurrences of functions, exactly (`kymo record --for REC.kymo --exact`): rows of what the hooks have counted
// (hooks/guest/thread_calls.h).
//
// When it acts: like a part (part.h), called by the program's hooks, which own these calls: for a thread when it
// begins and ends, and for all live ones when the process ends; and at samples, occasionally, so that a killed
// process loses little. Does nothing if the plan of hooks requests no occurrences.
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
    // The hooks are installed, and record this many functions.
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
    Lock lock_;  // protects a thread's data while another may read it
};

extern ExactCallRows exact_call_rows;

}  // namespace kymo::monitor
