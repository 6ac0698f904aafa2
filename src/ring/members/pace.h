// How often to ask: the period that keeps service traffic and the agents' work within a budget.
//
// Additive decrease, multiplicative increase: over the budget the period doubles at once; under it the period comes
// down in steps towards what was asked for, and only while what the last round cost would still be within the budget
// after the step. (The rule is that of congestion control, Chiu and Jain, 1989, seen from the period's side.)
#pragma once

#include "ring/members/member.h"

#include <algorithm>

namespace kymo::ring {

struct Budget {
    double work_share = 0.001;           // of one processor, the busiest agent's
    double bytes_a_second = 10'000'000;  // of all service channels together
};

class Pace {
  public:
    Pace(Time wanted, Time longest, const Budget& budget)
        : wanted_(wanted), longest_(std::max(longest, wanted)), budget_(budget), period_(wanted) {}

    [[nodiscard]] Time period() const { return period_; }
    [[nodiscard]] bool is_held_back() const { return period_ > wanted_; }

    // What a round cost: bytes over all channels, and most work of an agent in ns.
    void take(std::uint64_t bytes, std::uint64_t work) {
        if (!fits(period_, bytes, work)) {
            period_ = std::min(longest_, period_ * 2);
            return;
        }
        const Time step = std::max<Time>(wanted_ / 4, 1);
        const Time shorter = period_ > wanted_ + step ? period_ - step : wanted_;
        if (fits(shorter, bytes, work)) {
            period_ = shorter;
        }
    }

  private:
    [[nodiscard]] bool fits(Time period, std::uint64_t bytes, std::uint64_t work) const {
        const auto ns = static_cast<double>(period);
        return static_cast<double>(work) <= budget_.work_share * ns &&
               static_cast<double>(bytes) * 1e9 <= budget_.bytes_a_second * ns;
    }

    Time wanted_;
    Time longest_;
    Budget budget_;
    Time period_;
};

}  // namespace kymo::ring
