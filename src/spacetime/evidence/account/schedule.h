// The recorded schedule of a run in bins of its time: how many threads of the program worked, waited for one another,
// waited for anything else, lacked a processor; and what a stretch of one of them stood for in the length of the run
// (account.h has the formulas).
#pragma once

#include "recording/tables.h"
#include "spacetime/evidence/account/time_grid.h"
#include "spacetime/load/thread_states.h"
#include "team/members.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// Whether such a wait ends by another thread or process of the program.
bool is_wait_for_others(recording::WaitKind kind);

// Sums while samples are read: one row each, all threads.
struct ScheduleGrids {
    TimeGrid working;   // on a processor, not polling in a wait
    TimeGrid waiting;   // for others of the program; polling included
    TimeGrid outside;   // in other waits
    TimeGrid unserved;  // ready without a processor

    ScheduleGrids() = default;
    ScheduleGrids(std::uint64_t begin, std::uint64_t end)
        : working(begin, end, 1), waiting(begin, end, 1), outside(begin, end, 1), unserved(begin, end, 1) {}
    // `kind`: of the interval's wait; none: 0. `awaits_message`: on a processor, it polls for another rank.
    void add(const StateInterval& interval, recording::WaitKind kind, bool awaits_message);
    void merge(ScheduleGrids&& other);
    // After this a Schedule may be made of it.
    void settle();
};
KYMO_MEMBERS(ScheduleGrids, working, waiting, outside, unserved)

class Schedule {
  public:
    Schedule() = default;
    // `processors`: 0: not known, as many as were ever in use. Cost: one pass over the bins.
    Schedule(const ScheduleGrids& grids, std::uint64_t begin, std::uint64_t end, std::uint64_t processors);

    // What the run would be shorter by without this stretch, ns.
    std::int64_t shorter(const StateInterval& interval, recording::WaitKind kind, bool awaits_message) const;
    // The part of a stretch without a processor in which the program itself had more threads ready than processors.
    std::int64_t crowded(const StateInterval& interval) const;

  private:
    // Sums up to each bin's begin of a value 0 … 1 by bin, times its width.
    using Curve = std::vector<double>;

    std::int64_t over(const Curve& curve, const StateInterval& interval) const;
    double until(const Curve& curve, std::uint64_t time) const;

    std::uint64_t begin_ = 0;
    std::uint64_t width_ = 1;
    std::size_t bins_ = 0;
    Curve work_;
    Curve waits_;
    Curve outside_;
    Curve crowded_;
};

}  // namespace kymo::spacetime
