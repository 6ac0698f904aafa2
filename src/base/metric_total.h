// How the values of a metric's objects make its total. Written as a byte in segments and recordings.
#pragma once

#include <cstdint>

namespace kymo {

enum class MetricTotal : std::uint8_t {
    kOfType = 0,  // counters and gauges add up, of maxima it is the largest
    kSum = 1,
    kMean = 2,
    kMinimum = 3,
    kMaximum = 4,
};

constexpr MetricTotal metric_total_of(std::uint64_t byte) {
    return byte <= 4 ? static_cast<MetricTotal>(byte) : MetricTotal::kOfType;
}

}  // namespace kymo
