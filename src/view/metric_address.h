// Metrics by their addresses (base/resource.h): values, their course over the run, and the code that ran meanwhile.
#pragma once

#include "base/index.h"
#include "base/result.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/metrics/run_metrics.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kymo::view {

// One part of the run: the metric's value in it, and the code space that had most of that time.
struct CoursePart {
    double begin_s = 0;  // since the run's begin
    double end_s = 0;
    double value = 0;           // a counter's change, another's value
    spacetime::NodeIndex node;  // kNone: no code that is known
};

// The course of the one metric in `run`, in `parts` equal parts.
std::vector<CoursePart> course_with_code(const spacetime::RunMetrics& run, const spacetime::RunMetric& metric,
                                         const spacetime::Evidence& evidence, std::size_t parts);

// `run`: all metrics. Why there is nothing at an address, with similar ones; none: there is something.
std::optional<Error> why_unknown(const spacetime::RunMetrics& run, const MetricAddress& address);

// All metrics' addresses at the system's level, with their values.
std::string terminal_addresses(const Style& style, const spacetime::RunMetrics& run);
nlohmann::ordered_json json_addresses(const spacetime::RunMetrics& run);

// `run`: loaded for this address alone.
std::string terminal_addressed(const Style& style, const spacetime::RunMetrics& run, const MetricAddress& address,
                               const spacetime::Evidence& evidence);
nlohmann::ordered_json json_addressed(const spacetime::RunMetrics& run, const MetricAddress& address,
                                      const spacetime::Evidence& evidence);

}  // namespace kymo::view
