// Metrics over time for the page's tracks: those of the program, of descriptions and of channels, and how busy the
// host's processors were. Parts of the run as in the report (spacetime/metrics). In a recording by the ring's
// manager each host has tracks of its own.
#pragma once

#include "spacetime/metrics/run_metrics.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace kymo::view {

inline constexpr std::size_t kMostSeries = 12;
inline constexpr std::size_t kMostHosts = 64;  // with tracks of their own

// `begin`: of the page's time, on the recording's clock.
nlohmann::ordered_json page_series(const spacetime::RunMetrics& run, std::uint64_t begin);

// Of the ring: names, how well their clocks are known, when they did not answer. Empty: not by the ring.
nlohmann::ordered_json page_hosts(const spacetime::RunMetrics& run, std::uint64_t begin);

}  // namespace kymo::view
