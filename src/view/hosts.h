// The hosts of a recording: what each did, for how long it gave no answer, and how well its clock is known.
//
// For a recording by the ring's manager (docs/ring.md); a run that was recorded on one host shows ranks and threads.
#pragma once

#include "spacetime/metrics/run_metrics.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Empty: not by the ring.
std::string terminal_hosts(const Style& style, const spacetime::RunMetrics& run, std::size_t top);

// Keys: docs/json.md. Of any recording that has metrics.
nlohmann::ordered_json json_hosts(const spacetime::RunMetrics& run);

}  // namespace kymo::view
