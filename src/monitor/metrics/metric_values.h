// The totals of the program's own metrics in a thread, in the order of their `event` rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

inline constexpr std::size_t kMaxSampledMetrics = 16;

struct MetricValues {
    std::uint64_t value[kMaxSampledMetrics] = {};
    std::size_t count = 0;
};

}  // namespace kymo::monitor
