// The metrics requested of the ring, and the agents' answers about them.
#pragma once

#include "live/request.h"
#include "ring/members/manager.h"
#include "ring/record/asked_metric.h"

#include <vector>

namespace kymo::live {

class AskedMetrics {
  public:
    explicit AskedMetrics(const std::vector<Asked>& asked);

    [[nodiscard]] const std::vector<ring::AskedMetric>& all() const { return all_; }
    // Queries the agents for programs' own metrics.
    void begin(ring::Manager& manager) const;
    // True: something new is known.
    bool learn(const ring::Manager& manager);

  private:
    std::vector<ring::AskedMetric> all_;
};

}  // namespace kymo::live
