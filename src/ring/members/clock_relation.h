// Estimates the offset of an agent's clock from the manager's, from tokens alone (docs/ring-protocol.md,
// "Clocks").
//
// Each token that passed by and returned bounds the difference from both sides: it was received after it was sent,
// and it returned after it was forwarded. The narrowest recent bounds are kept; they widen by the possible drift
// of the clocks. The true difference is within estimate ± error as long as the clocks keep to that drift. (The
// idea is Cristian's, 1989, and NTP's; here the two directions pass through other members.)
#pragma once

#include "ring/members/member.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kymo::ring {

class ClockRelation {
  public:
    static constexpr double kDrift = 200e-6;  // maximum relative drift of two clocks

    struct Estimate {
        std::int64_t offset = 0;                  // agent's clock less the manager's
        std::uint64_t error = ~std::uint64_t{0};  // the maximum: nothing is known
    };

    // Both members use the same clock.
    void same() { same_ = true; }

    // A token came: sent at `sent`, received at `received`.
    void came(Time sent, Time received) { lower_the_upper(difference(received, sent), received); }

    // A token that was forwarded at `forwarded` returned at `home`; `share` of the hops preceded this agent.
    void came_home(Time forwarded, Time home, double share) {
        const std::int64_t bound = difference(forwarded, home);
        const std::int64_t now_bound = widened(lower_, lower_at_, forwarded, -1);
        if (!has_lower_ || bound >= now_bound) {
            lower_ = bound;
            lower_at_ = forwarded;
        }
        has_lower_ = true;
        share_ = share;
    }

    [[nodiscard]] Estimate at(Time now) const {
        if (same_) {
            return {0, 0};
        }
        if (!has_upper_) {
            return {};
        }
        const std::int64_t upper = widened(upper_, upper_at_, now, 1);
        if (!has_lower_) {
            return {upper, ~std::uint64_t{0}};
        }
        const std::int64_t lower = widened(lower_, lower_at_, now, -1);
        const std::int64_t width = std::max<std::int64_t>(upper - lower, 0);
        const auto before = static_cast<std::int64_t>(static_cast<double>(width) * share_);
        return {upper - before, static_cast<std::uint64_t>(std::max(before, width - before)) + 1};
    }

  private:
    static std::int64_t difference(Time own, Time managers) { return static_cast<std::int64_t>(own - managers); }
    static std::int64_t widened(std::int64_t bound, Time since, Time now, int sign) {
        const double passed = now > since ? static_cast<double>(now - since) : 0;
        return bound + sign * static_cast<std::int64_t>(std::ceil(passed * kDrift));
    }
    void lower_the_upper(std::int64_t bound, Time at) {
        if (!has_upper_ || bound <= widened(upper_, upper_at_, at, 1)) {
            upper_ = bound;
            upper_at_ = at;
        }
        has_upper_ = true;
    }

    bool same_ = false;
    bool has_upper_ = false;
    bool has_lower_ = false;
    std::int64_t upper_ = 0;
    std::int64_t lower_ = 0;
    Time upper_at_ = 0;
    Time lower_at_ = 0;
    double share_ = 0.5;
};

}  // namespace kymo::ring
