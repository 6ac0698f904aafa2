// What could not be measured in this process, why, and the remedy: once a process and kind, not once a thread.
#pragma once

#include "monitor/sampling/counters.h"

namespace kymo::monitor {

// In handlers, or under Quiet.
void tell_unavailable(const CounterOutcome& outcome);
// Reports that threads measured by timers count system time beside the session's events, if not listed there.
void write_system_time_event();
// In a forked child, which has a recording of its own.
void forget_what_was_told();

}  // namespace kymo::monitor
