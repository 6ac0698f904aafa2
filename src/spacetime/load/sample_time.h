// What the rows of one stream's samples say about its time: the amounts between two samples (time_split.h), placed by
// switch records and waits (state_builder.h). The one way from samples to states, for every pass over a recording.
//
// Memory: switch records and waits of the stream.
#pragma once

#include "recording/tables.h"
#include "spacetime/load/state_builder.h"
#include "spacetime/load/time_split.h"
#include "team/members.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct EventInfo {
    std::string name;
    std::string unit;
    recording::EventMode mode = recording::EventMode::kCount;
    std::uint64_t value = 0;  // period or frequency
    bool user_only = false;
};
KYMO_MEMBERS(EventInfo, name, unit, mode, value, user_only)

// What samples need to know of their file's event list.
struct EventRoles {
    std::optional<std::size_t> task_clock;
    bool samples_kernel = false;             // samples of the clock come in the kernel as well
    std::optional<std::size_t> system_time;  // none, where the stream's mechanism cannot read it
    std::uint64_t tick_period = 0;           // ns of task-clock between two of its samples; 0: it does not sample
    std::uint64_t first_period = 0;          // ns until the first of them, where that is another one; else 0
    std::uint64_t tick = 0;  // ns: the kernel's, where it takes the stream's samples from the beginning; else 0
    std::uint64_t grid_period =
        0;  // the same as tick_period where these samples come on a grid (late_ticks.h); else 0
    std::size_t first_metric = SIZE_MAX;  // from there on, events are the program's own metrics

    EventRoles() = default;
    // `mechanism`: recording::Mechanism of the stream. The event list is one for all streams of a process, but only
    // those measured by thread timers can read system time: in the others its column stays 0.
    EventRoles(std::span<const EventInfo> events, std::uint64_t mechanism);
};

// Whether a sample met the monitor at its own work. `own_contexts` as StreamData's.
inline bool is_own_work(const recording::Sample& row, const std::vector<bool>& own_contexts) {
    return (row.flags & recording::kOwnWork) != 0 || (row.context < own_contexts.size() && own_contexts[row.context]);
}

// ns of the monitor's own work; of these, those in the kernel and in user mode, as far as distinguished.
struct OwnWorkSums {
    std::uint64_t ns = 0;
    std::uint64_t system_ns = 0;
    std::uint64_t user_ns = 0;
};

// What a row's events counted that is the program's: all but the monitor's own work. Of the clock that is known,
// since the work is measured in time. Metrics are the program's alone. Of other events nothing else is known: at a
// sample that met such work they are shared as the time is.
class ProgramsEvents {
  public:
    // `own_ns`: StreamTime::own_work_ns() of the same row; row.own_ns may have time off the processor in it.
    ProgramsEvents(const EventRoles& roles, const recording::Sample& row, bool is_own_work, std::uint64_t own_ns);
    // `event`: below row.deltas.size().
    std::uint64_t of(std::size_t event) const;

  private:
    std::span<const std::uint64_t> deltas_;
    std::size_t clock_;  // SIZE_MAX: there is none
    std::size_t first_metric_;
    bool is_shared_;
    std::uint64_t all_ = 0;  // ns of the clock
    std::uint64_t own_ = 0;  // of these
};

class StreamTime {
  public:
    // As StateBuilder.
    StreamTime(const EventRoles& roles, std::uint64_t begin, std::span<const OffInterval> offs,
               std::span<const ThreadWait> waits);

    // The states since the sample before, or the begin, in order. Valid until the next call. Of the time on a
    // processor the monitor's own work, as it has measured it, is not the program's: it is as if measurement had been
    // off.
    std::span<const StateInterval> add(const recording::Sample& row, bool is_own_work = false);
    // Those from the last sample to `end`; the stream's totals of all events, empty where they are not known.
    // `own`: the monitor's work in between, as a sample's.
    std::span<const StateInterval> finish(std::uint64_t end, std::span<const std::uint64_t> totals,
                                          const OwnWorkSums& own = {});

    std::uint64_t last() const { return splitter_.last(); }
    // The monitor's own work in what add() returned last.
    std::uint64_t own_work_ns() const { return own_work_ns_; }

  private:
    void take_own_work(std::span<const StateInterval> intervals, bool is_own_work);

    EventRoles roles_;
    TimeSplitter splitter_;
    StateBuilder builder_;
    std::uint64_t task_clock_ = 0;  // so far
    std::uint64_t system_time_ = 0;
    std::uint64_t own_work_ns_ = 0;
    // ns of own work, measured and in no interval yet: in the program's mode, in the kernel, not distinguished.
    struct Owed {
        std::uint64_t user = 0;
        std::uint64_t system = 0;
        std::uint64_t any = 0;
        std::uint64_t all() const { return user + system + any; }
    };
    void owe(const OwnWorkSums& own);
    Owed owed_;
    std::vector<StateInterval> without_own_work_;
};

}  // namespace kymo::spacetime
