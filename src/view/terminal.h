// The report for a terminal: what was run, what stands out, how well it was measured, then call paths, functions,
// lines, threads and events.
#pragma once

#include "spacetime/call_tree.h"
#include "spacetime/profile.h"
#include "view/metric.h"
#include "view/text.h"

#include <optional>
#include <string>

namespace kymo::view {

struct ReportOptions {
    Style style = {};
    Metric metric = {};
    std::size_t top = 10;                // rows of each table
    std::optional<double> percent = {};  // least share of a call path shown; none: 1 %, raised until it fits
};

std::string terminal_report(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                            const ReportOptions& options);

}  // namespace kymo::view
