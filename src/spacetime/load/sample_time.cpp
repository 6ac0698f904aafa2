#include "spacetime/load/sample_time.h"

namespace kymo::spacetime {
namespace {

std::uint64_t at(std::span<const std::uint64_t> values, std::size_t event) {
    return event < values.size() ? values[event] : 0;
}

// Totals below what samples said (a damaged file) leave no time to split.
std::uint64_t rest(std::span<const std::uint64_t> totals, std::size_t event, std::uint64_t sum) {
    const std::uint64_t total = event < totals.size() ? totals[event] : sum;
    return total < sum ? 0 : total - sum;
}

}  // namespace

EventRoles::EventRoles(std::span<const EventInfo> events, std::uint64_t mechanism) {
    for (std::size_t i = 0; i < events.size(); ++i) {
        const EventInfo& event = events[i];
        if (event.name == "task-clock" && !task_clock) {
            task_clock = i;
            if (event.mode == recording::EventMode::kPeriod) {
                tick_period = event.value;
            } else if (event.mode == recording::EventMode::kFrequency && event.value != 0) {
                tick_period = 1'000'000'000 / event.value;
            }
        } else if (event.name == "system-time" && !system_time &&
                   mechanism != static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents)) {
            system_time = i;
        }
    }
    grid_period = mechanism == static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents) ? tick_period : 0;
}

StreamTime::StreamTime(const EventRoles& roles, std::uint64_t begin, std::span<const OffInterval> offs,
                       std::span<const ThreadWait> waits)
    : roles_(roles), splitter_(begin, roles.tick_period), builder_(begin, offs, waits) {}

std::span<const StateInterval> StreamTime::add(const recording::Sample& row, bool is_own_work) {
    Interval interval{.end = row.time,
                      .is_tick = roles_.task_clock && row.event == *roles_.task_clock,
                      .at_tick = (row.flags & recording::kAtTick) != 0,
                      .in_kernel = (row.flags & recording::kInKernel) != 0,
                      .after_pause = (row.flags & recording::kAfterPause) != 0};
    if (roles_.task_clock) {
        interval.task_clock = at(row.deltas, *roles_.task_clock);
        task_clock_ += *interval.task_clock;
    }
    if (roles_.system_time) {
        interval.system_time = at(row.deltas, *roles_.system_time);
        system_time_ += *interval.system_time;
    }
    const auto intervals = builder_.add(splitter_.split(interval));
    own_work_ns_ = 0;
    if (!is_own_work) {
        return intervals;
    }
    without_own_work_.assign(intervals.begin(), intervals.end());
    for (StateInterval& part : without_own_work_) {
        if (part.state == ThreadState::kUser || part.state == ThreadState::kSystem ||
            part.state == ThreadState::kSpinning) {
            own_work_ns_ += part.end - part.begin;
            part.state = ThreadState::kPaused;
            part.wait = kNone;
        }
    }
    return without_own_work_;
}

std::span<const StateInterval> StreamTime::finish(std::uint64_t end, std::span<const std::uint64_t> totals) {
    Interval interval{.end = end};
    if (roles_.task_clock) {
        interval.task_clock = rest(totals, *roles_.task_clock, task_clock_);
    }
    if (roles_.system_time) {
        interval.system_time = rest(totals, *roles_.system_time, system_time_);
    }
    return builder_.add(splitter_.split(interval));
}

}  // namespace kymo::spacetime
