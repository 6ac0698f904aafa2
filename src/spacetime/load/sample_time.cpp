#include "spacetime/load/sample_time.h"

#include "base/metric_event.h"

#include <algorithm>
#include <cstdint>
#include <ranges>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLeastOwnWork = 10'000;  // ns

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
        } else if (is_metric_event(event.name)) {
            first_metric = std::min(first_metric, i);
        }
    }
    samples_kernel = mechanism == static_cast<std::uint64_t>(recording::Mechanism::kImported) ||
                     mechanism == static_cast<std::uint64_t>(recording::Mechanism::kOutside);
    grid_period = mechanism == static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents) ? tick_period : 0;
}

ProgramsEvents::ProgramsEvents(const EventRoles& roles, const recording::Sample& row, bool is_own_work,
                               std::uint64_t own_ns)
    : deltas_(row.deltas),
      clock_(roles.task_clock && *roles.task_clock < row.deltas.size() ? *roles.task_clock : SIZE_MAX),
      first_metric_(roles.first_metric),
      is_shared_(is_own_work) {
    if (clock_ != SIZE_MAX) {
        all_ = deltas_[clock_];
        own_ = std::min(own_ns, all_);
    }
}

std::uint64_t ProgramsEvents::of(std::size_t event) const {
    if (event == clock_) {
        return all_ - own_;
    }
    if (!is_shared_ || event >= first_metric_) {
        return deltas_[event];
    }
    __extension__ using Wide = unsigned __int128;
    return all_ == 0 ? 0 : static_cast<std::uint64_t>(static_cast<Wide>(deltas_[event]) * (all_ - own_) / all_);
}

StreamTime::StreamTime(const EventRoles& roles, std::uint64_t begin, std::span<const OffInterval> offs,
                       std::span<const ThreadWait> waits)
    : roles_(roles), splitter_(begin, roles.tick_period, roles.first_period), builder_(begin, offs, waits) {}

std::span<const StateInterval> StreamTime::add(const recording::Sample& row, bool is_own_work) {
    Interval interval{.end = row.time,
                      .is_tick = roles_.task_clock && row.event == *roles_.task_clock,
                      .at_tick = (row.flags & recording::kAtTick) != 0,
                      .in_kernel = (row.flags & recording::kInKernel) != 0,
                      .after_pause = (row.flags & recording::kAfterPause) != 0,
                      .samples = recording::samples_of(row)};
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
    owe({row.own_ns, row.own_system_ns, row.own_user_ns});
    // Slivers wait until they are worth an interval.
    if (!is_own_work && owed_.all() < kLeastOwnWork) {
        return intervals;
    }
    take_own_work(intervals, is_own_work);
    return without_own_work_;
}

void StreamTime::owe(const OwnWorkSums& own) {
    const std::uint64_t system = std::min(own.system_ns, own.ns);
    const std::uint64_t user = std::min(own.user_ns, own.ns - system);
    owed_.system += system;
    owed_.user += user;
    owed_.any += own.ns - system - user;
}

// From the end of the intervals backwards: the sample came at the monitor's work, or behind it. The clock that it is
// measured by goes on while another thread has the processor.
void StreamTime::take_own_work(std::span<const StateInterval> intervals, bool is_own_work) {
    // Monitors that measured none of their work: of what ends in such a sample, user time is theirs. System time is
    // the program's, whose calls it was spent in.
    const bool is_measured = owed_.all() != 0;
    without_own_work_.clear();
    for (const StateInterval& interval : std::views::reverse(intervals)) {
        const bool is_user = interval.state == ThreadState::kUser || interval.state == ThreadState::kSpinning;
        const std::uint64_t length = interval.end - interval.begin;
        if (!is_user && interval.state != ThreadState::kSystem) {
            owed_.any -= std::min(length, owed_.any);  // it was at it when it lost the processor
            without_own_work_.push_back(interval);
            continue;
        }
        std::uint64_t& owed = is_user ? owed_.user : owed_.system;
        const std::uint64_t told = std::min(length, owed);
        const std::uint64_t other = std::min(length - told, owed_.any);
        owed -= told;
        owed_.any -= other;
        const std::uint64_t own = is_measured ? told + other : is_own_work && is_user ? length : 0;
        if (own == 0) {
            without_own_work_.push_back(interval);
            continue;
        }
        own_work_ns_ += own;
        without_own_work_.push_back({interval.end - own, interval.end, ThreadState::kPaused, kNone});
        if (own < length) {
            without_own_work_.push_back(interval);
            without_own_work_.back().end = interval.end - own;
        }
    }
    std::reverse(without_own_work_.begin(), without_own_work_.end());
}

std::span<const StateInterval> StreamTime::finish(std::uint64_t end, std::span<const std::uint64_t> totals,
                                                  const OwnWorkSums& own) {
    Interval interval{.end = end};
    if (roles_.task_clock) {
        interval.task_clock = rest(totals, *roles_.task_clock, task_clock_);
    }
    if (roles_.system_time) {
        interval.system_time = rest(totals, *roles_.system_time, system_time_);
    }
    if (roles_.tick != 0) {
        splitter_.forget_tick();
    }
    const auto intervals = builder_.add(splitter_.split(interval));
    own_work_ns_ = 0;
    owe(own);
    // No later interval has room for it.
    owed_ = {.any = owed_.all()};
    if (owed_.any < kLeastOwnWork) {
        return intervals;
    }
    take_own_work(intervals, false);
    return without_own_work_;
}

}  // namespace kymo::spacetime
