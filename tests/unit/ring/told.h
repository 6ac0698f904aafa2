// What an agent says of a metric, made by hand.
#pragma once

#include "ring/record/asked_metric.h"

#include <algorithm>
#include <string_view>

namespace kymo::ring {

inline MetricTold told(const AskedMetric& asked, cells::MetricType type, std::string_view unit = {},
                       std::string_view description = {}, MetricTotal total = MetricTotal::kOfType) {
    MetricTold made{};
    const MetricAsked which = asked_of(asked);
    made.kind = which.kind;
    made.metric = which.metric;
    made.type = static_cast<std::uint8_t>(type);
    made.total = total;
    std::copy(unit.begin(), unit.end(), made.unit.begin());
    std::copy(description.begin(), description.end(), made.description.begin());
    return made;
}

}  // namespace kymo::ring
