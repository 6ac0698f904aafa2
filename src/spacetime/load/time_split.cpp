#include "spacetime/load/time_split.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kMostSpent = std::uint64_t{1} << 62U;

}  // namespace

Split TimeSplitter::split(const Interval& interval) {
    const std::uint64_t wall = interval.end - std::min(interval.end, last_);
    last_ += wall;
    Split split;
    if (!interval.task_clock) {
        // No clock of the processor (a modelled stream): all of it is work.
        (interval.after_pause ? split.paused : split.user) = static_cast<std::int64_t>(wall);
        return split;
    }
    // Nonsense in a damaged file stays within bounds.
    const std::uint64_t spent = std::min(*interval.task_clock, kMostSpent) + owed_;
    const std::uint64_t on = std::min(wall, spent);
    owed_ = std::min(spent - on, kMostSpent);
    std::uint64_t user = on;
    if (interval.system_time) {
        user = on - std::min(on, *interval.system_time);
    } else if (period_ != 0) {
        if (interval.after_pause) {
            budget_ = period_;
        }
        if (interval.is_tick) {
            at_tick_ = interval.at_tick;
            in_kernel_ = interval.in_kernel;
        }
        if (at_tick_) {
            user = in_kernel_ ? 0 : on;
            budget_ = period_;
        } else {
            user = std::min(on, budget_);
            if (interval.is_tick && 2 * (on - user) < period_) {
                user = on;  // a sample was late, or one before it early: none is missing
            }
            budget_ = interval.is_tick ? period_ : budget_ - std::min(budget_, user);
        }
    }
    split.user = static_cast<std::int64_t>(user);
    split.system = static_cast<std::int64_t>(on - user);
    // What was off before measurement went on cannot be told from waiting.
    (interval.after_pause ? split.paused : split.off_cpu) = static_cast<std::int64_t>(wall - on);
    return split;
}

}  // namespace kymo::spacetime
