// Chooses the period that keeps service traffic and the agents' work within a budget.
//
// Over the budget, the period doubles at once. Under it, the period shrinks, but never to where the cost of the
// last round would exceed the budget: to a quarter, or to twice what the budget needs, and in steps from there.
// Near the budget the rule is that of congestion control (additive decrease, multiplicative increase: Chiu and
// Jain, 1989, seen from the period's side); far away, after a disturbance, it returns within ten rounds.
#pragma once

#include "ring/members/member.h"

#include <algorithm>

namespace kymo::ring {

struct Budget {
    double work_share = 0.001;           // of one processor, for the busiest agent
    double bytes_a_second = 10'000'000;  // of all service channels together
};

class Pace {
  public:
    Pace(Time wanted, Time longest, const Budget& budget)
        : wanted_(wanted), longest_(std::max(longest, wanted)), budget_(budget), period_(wanted) {}

    [[nodiscard]] Time period() const { return period_; }
    [[nodiscard]] bool is_held_back() const { return period_ > wanted_; }

    // The cost of a round: bytes over all channels, and the largest work of an agent in ns.
    void take(std::uint64_t bytes, std::uint64_t work) {
        const double needed = std::max(static_cast<double>(work) / budget_.work_share,
                                       static_cast<double>(bytes) * 1e9 / budget_.bytes_a_second);
        if (needed > static_cast<double>(period_)) {
            period_ = std::min(longest_, period_ * 2);
            return;
        }
        const Time step = std::max<Time>(wanted_ / 4, 1);
        const Time near = period_ > wanted_ + step ? period_ - step : wanted_;
        const Time far = std::max({wanted_, period_ / 4, static_cast<Time>(2 * needed)});
        if (far < near) {
            period_ = far;
        } else if (needed <= static_cast<double>(near)) {
            period_ = near;
        }
    }

  private:
    Time wanted_;
    Time longest_;
    Budget budget_;
    Time period_;
};

}  // namespace kymo::ring
