// Limits the processor time spent on unauthenticated connections: a share of the elapsed time, and an initial
// burst, so that a whole ring may connect at its start. Pure.
#pragma once

#include "ring/members/member.h"

#include <algorithm>

namespace kymo::ring {

class Allowance {
  public:
    // `share` of one processor in the long run, as one part of `parts`; at most `at_once` ns saved up.
    Allowance(Time parts, Time at_once)
        : parts_(parts), at_once_(at_once), left_(static_cast<std::int64_t>(at_once)) {}

    void spend(Time spent) { left_ -= static_cast<std::int64_t>(spent); }

    // Returns what a connection has spent that was authenticated later.
    void give_back(Time spent) {
        left_ = std::min(left_ + static_cast<std::int64_t>(spent), static_cast<std::int64_t>(at_once_));
    }

    // Accumulates the allowance until `now`.
    void save(Time now) {
        const auto saved = static_cast<std::int64_t>((now - std::min(now, since_)) / parts_);
        left_ = std::min(left_ + saved, static_cast<std::int64_t>(at_once_));
        since_ = now;
    }

    [[nodiscard]] bool is_left() const { return left_ > 0; }

    // When enough is available again to be worth a wake-up. Precondition: none is left.
    [[nodiscard]] Time again() const {
        return since_ + parts_ * (static_cast<Time>(-left_) + std::min<Time>(at_once_, kWorthwhile));
    }

  private:
    static constexpr Time kWorthwhile = 2'000'000;

    Time parts_;
    Time at_once_;
    std::int64_t left_;
    Time since_ = 0;
};

}  // namespace kymo::ring
