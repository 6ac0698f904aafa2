// A run's metrics, for people and as data (docs/json.md).
#pragma once

#include "spacetime/metrics/run_metrics.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// A value with its unit: times as durations, the rest as counts.
std::string metric_value(const Style& style, std::uint64_t value, std::string_view unit);

// A metric's total, or that of some of its objects, by its rule; a mean that is not whole has two decimal places.
std::string shown_total(const Style& style, const spacetime::RunMetric& metric, const Aggregate& some,
                        std::string_view unit);
// "mean", "sum", …
const char* rule_name(MetricTotal rule);
// The total by the metric's rule, as a number: exact, except for means. Gauges may be below 0.
nlohmann::ordered_json json_total(const spacetime::RunMetric& metric, const Aggregate& some);
// Values beside the total (RunMetric::parts()): {"level": "process", "values": {"4711": 3}}; hosts by name.
nlohmann::ordered_json json_parts(const spacetime::RunMetrics& run, const spacetime::RunMetric& metric);

// Metrics of the program, descriptions and libraries, and the host's processors; empty if there are none.
// `only_programs`: without those that every run has.
std::string terminal_metrics(const Style& style, const spacetime::RunMetrics& run, std::size_t top,
                             bool only_programs = false);

// A channel's direction (metrics::ChannelDirection) as a number: "send", "receive", …; "other" for unknown ones.
const char* direction_name(std::uint64_t direction);

nlohmann::ordered_json json_metrics(const spacetime::RunMetrics& run);

}  // namespace kymo::view
