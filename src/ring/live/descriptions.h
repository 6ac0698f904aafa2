// What this host's programs say that metrics are, which a metric query asks for.
//
// A pure function of the reading. Of several programs that have a metric of one name the first counts, as read.
#pragma once

#include "ring/live/host_reading.h"
#include "ring/protocol/metric_query.h"

#include <span>
#include <vector>

namespace kymo::ring {

// One for each, in their order.
std::vector<MetricTold> describe_metrics(const HostReading& reading, std::span<const MetricAsked> asked);

}  // namespace kymo::ring
