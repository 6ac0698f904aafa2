// Answers a metric query: how this host's programs describe the requested metrics.
//
// A pure function of the reading. If several programs have a metric of the same name, the first one read counts.
#pragma once

#include "host/reading.h"
#include "ring/protocol/metric_query.h"

#include <span>
#include <vector>

namespace kymo::ring {

// One for each requested metric, in the same order.
std::vector<MetricTold> describe_metrics(const host::Reading& reading, std::span<const MetricAsked> asked);

}  // namespace kymo::ring
