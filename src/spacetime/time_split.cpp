#include "spacetime/time_split.h"

#include <algorithm>

namespace kymo::spacetime {

Split TimeSplitter::split(const Interval& interval) {
    const auto wall = static_cast<std::int64_t>(interval.end - last_);
    last_ = interval.end;
    Split split;
    if (!interval.task_clock) {
        // No clock of the processor (a modelled stream): all of it is work.
        (interval.after_pause ? split.paused : split.user) = wall;
        return split;
    }
    const std::uint64_t on = *interval.task_clock;
    std::uint64_t user = on;
    if (interval.system_time) {
        user = on - std::min(on, *interval.system_time);
    } else if (period_ != 0) {
        if (interval.after_pause) {
            budget_ = period_;
        }
        user = std::min(on, budget_);
        budget_ = interval.is_tick ? period_ : budget_ - user;
    }
    split.user = static_cast<std::int64_t>(user);
    split.system = static_cast<std::int64_t>(on - user);
    const std::int64_t rest = wall - static_cast<std::int64_t>(on);
    // What was off before measurement went on cannot be told from waiting.
    (interval.after_pause ? split.paused : split.off_cpu) = rest;
    return split;
}

}  // namespace kymo::spacetime
