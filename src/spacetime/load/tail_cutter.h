// Cuts the user time behind a stream's last sample as a plan has it (tails.h).
#pragma once

#include "spacetime/load/tails.h"
#include "spacetime/load/thread_states.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kymo::spacetime {

class TailCutter {
  public:
    explicit TailCutter(const TailPlan& plan) : plan_(plan), in_waits_(plan.system_in_waits) {}

    // Calls put(part, place) for the parts of an interval of user time, in order; place nullptr: where its wait says.
    // Intervals in the order of time.
    template <typename Put>
    void each(const StateInterval& interval, const Put& put) {
        if (interval.wait != kNone) {
            StateInterval part = interval;
            part.end = part.begin + take(&in_waits_, interval);
            part.state = ThreadState::kSystem;
            if (part.end > part.begin) {
                put(part, nullptr);
            }
            if (part.end < interval.end) {
                put(StateInterval{part.end, interval.end, interval.state, interval.wait}, nullptr);
            }
        } else {
            outside_of_waits(interval, put);
        }
    }

  private:
    static std::uint64_t take(std::int64_t* left, const StateInterval& interval) {
        const auto taken = std::min(*left, static_cast<std::int64_t>(interval.end - interval.begin));
        *left -= taken;
        return static_cast<std::uint64_t>(taken);
    }

    template <typename Put>
    void outside_of_waits(StateInterval rest, const Put& put) {
        while (rest.begin < rest.end && next_ < plan_.parts.size()) {
            const TailPart& planned = plan_.parts[next_];
            left_ = left_ == 0 ? planned.ns : left_;
            StateInterval part = rest;
            part.end = part.begin + take(&left_, rest);
            part.state = planned.is_system ? ThreadState::kSystem : ThreadState::kUser;
            put(part, &planned.place);
            rest.begin = part.end;
            next_ += left_ == 0 ? 1 : 0;
        }
        if (rest.begin < rest.end) {
            put(rest, nullptr);
        }
    }

    const TailPlan& plan_;
    std::int64_t in_waits_;
    std::size_t next_ = 0;   // of the plan's parts
    std::int64_t left_ = 0;  // ns of that part; 0: it has not begun
};

}  // namespace kymo::spacetime
