// What the user switches on all hosts: --switch, and lines of standard input with --orders.
#pragma once

#include "base/result.h"
#include "live/ring_view.h"
#include "ring/members/manager.h"

#include <functional>
#include <string>
#include <vector>

namespace kymo::cli {

struct NamedSwitch {
    std::string metric;
    ring::Switch what;
};

// METRIC=off, METRIC=on, METRIC=SECONDS (on, with this period); FILE.kym for METRIC: those of that description that
// can be switched. kUsage, kNotFound, kMalformed.
Result<std::vector<NamedSwitch>> parse_switch(const std::string& text);

// The state of the orders, for the view.
class Switching {
  public:
    // To the manager, by `order`; at most ring::kMaxSwitches in all.
    Result<void> add(std::vector<NamedSwitch> more, ring::Manager& manager, std::uint64_t now);
    [[nodiscard]] std::vector<live::RingSwitch> state(const ring::Orders& orders) const;

  private:
    std::vector<NamedSwitch> known_;
};

// Whole lines that have arrived on standard input; never waits.
class LinesIn {
  public:
    void take(const std::function<void(const std::string&)>& line);

  private:
    static constexpr std::size_t kLongest = 4096;
    std::string begun_;
    bool ended_ = false;
};

}  // namespace kymo::cli
