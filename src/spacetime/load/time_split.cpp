#include "spacetime/load/time_split.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kMostSpent = std::uint64_t{1} << 62U;

}  // namespace

bool is_first_due(std::uint64_t clock, std::uint64_t first_period) {
    constexpr std::uint64_t kLate = 40'000;  // ns
    return clock < first_period || clock - first_period < std::max(first_period / 2, kLate);
}

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
        user = first_period_ != 0 ? user_of_first(interval, on) : user_of(interval, on, &split.by_tick);
    }
    split.user = static_cast<std::int64_t>(user);
    split.system = static_cast<std::int64_t>(on - user);
    // Time off the processor before measurement went on looks the same as waiting.
    (interval.after_pause ? split.paused : split.off_cpu) = static_cast<std::int64_t>(wall - on);
    return split;
}

std::uint64_t TimeSplitter::user_of(const Interval& interval, std::uint64_t on, bool* by_tick) {
    if (interval.after_pause) {
        budget_ = period_;
    }
    if (interval.is_tick) {
        at_tick_ = interval.at_tick;
        in_kernel_ = interval.in_kernel;
    }
    if (at_tick_) {
        budget_ = period_;
        *by_tick = true;
        return in_kernel_ ? 0 : on;
    }
    const std::uint64_t further = interval.is_tick ? interval.samples - 1 : 0;
    // Nonsense in a damaged file stays within bounds.
    const std::uint64_t most = further <= kMostSpent / period_ ? budget_ + further * period_ : kMostSpent;
    std::uint64_t user = std::min(on, most);
    if (interval.is_tick && 2 * (on - user) < period_) {
        user = on;  // a sample was late, or one before it early: none is missing
    }
    budget_ = interval.is_tick ? period_ : budget_ - std::min(budget_, user);
    return user;
}

std::uint64_t TimeSplitter::user_of_first(const Interval& interval, std::uint64_t on) {
    first_clock_ += on;
    if (interval.is_tick) {
        const bool is_first_tick = is_first_due(first_clock_, first_period_);
        first_period_ = 0;
        budget_ = period_;
        return is_first_tick ? on : 0;
    }
    const std::uint64_t user = std::min(on, budget_);
    budget_ -= user;
    return user;
}

}  // namespace kymo::spacetime
