// What the user has switched on all hosts: the orders given, and how far they are obeyed.
#pragma once

#include "base/result.h"
#include "live/ring_view.h"
#include "ring/members/manager.h"

#include <string>
#include <vector>

namespace kymo::live {

struct NamedSwitch {
    std::string metric;
    ring::Switch what;
};

// The state of the orders, for the view.
class Switching {
  public:
    // To the manager, by `order`; at most ring::kMaxSwitches in all.
    Result<void> add(std::vector<NamedSwitch> more, ring::Manager& manager, std::uint64_t now);
    [[nodiscard]] std::vector<RingSwitch> state(const ring::Orders& orders) const;

  private:
    std::vector<NamedSwitch> known_;
};

}  // namespace kymo::live
