// What one stream says to the plan of all tails (tails.h): its first sample, if that stands for a period, and the
// time behind its last one.
#pragma once

#include "recording/tables.h"
#include "spacetime/load/sample_time.h"
#include "spacetime/load/system_place.h"
#include "spacetime/load/tails.h"
#include "spacetime/load/thread_states.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kymo::spacetime {

class StreamTail {
  public:
    // A sample of the clock, after `clock` ns of it, `user` of these user time since the sample before. `place`:
    // where it was; stream kNone: at the monitor's work, or on no call path.
    // `in_kernel`: at a tick that found the kernel at work.
    void sample(const EventRoles& roles, const recording::Sample& row, std::uint64_t clock, std::int64_t user,
                const TailPlace& place, bool in_kernel) {
        if ((roles.first_period == 0 && roles.tick == 0) || std::exchange(has_sample_, true)) {
            return;
        }
        if (roles.tick != 0) {
            const std::uint64_t before = in_kernel ? clock : static_cast<std::uint64_t>(user);
            if (place.stream != kNone && before < roles.tick) {
                first_ = {row.time, static_cast<std::int64_t>(roles.tick - before), place, in_kernel};
            }
            return;
        }
        // A later tick than the first says nothing of what came before it (time_split.h).
        const std::int64_t missing = static_cast<std::int64_t>(roles.tick_period) - user;
        if (is_first_due(clock, roles.first_period) && place.stream != kNone && missing > 0 &&
            (row.flags & recording::kAtTick) == 0) {
            const bool is_known = roles.first_period > recording::kLeastFirstPeriodNs;
            first_ = {row.time, missing, is_known ? place : TailPlace{}};
        }
    }

    // The time from the last sample, at `begin`, to the end.
    void end(std::uint64_t begin, std::span<const StateInterval> intervals) {
        begin_ = begin;
        intervals_.assign(intervals.begin(), intervals.end());
    }

    std::span<const StateInterval> intervals() const { return intervals_; }
    const std::optional<FirstSample>& first_sample() const { return first_; }
    Tail sums(std::uint64_t end) const {
        Tail tail{.end = end};
        for (const StateInterval& interval : intervals_) {
            if (is_user_time(interval)) {
                (interval.wait == kNone ? tail.user : tail.in_waits) += duration_of(interval);
            }
        }
        return tail;
    }
    // Adds those of `looks` that lie in it.
    void add_looks(std::uint32_t stream, std::span<const KernelLook> looks, std::vector<TailLook>* all) const {
        for (const KernelLook& look : looks) {
            if (look.time >= begin_) {
                all->push_back({look.time, {stream, look.context}});
            }
        }
    }

  private:
    bool has_sample_ = false;
    std::optional<FirstSample> first_;
    std::uint64_t begin_ = 0;
    std::vector<StateInterval> intervals_;
};

}  // namespace kymo::spacetime
