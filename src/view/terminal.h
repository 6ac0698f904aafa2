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

// A recording of a build or a script: of hundreds of processes no two lines matter most. Beyond so many, the report
// groups them by the program that they run, tells the first findings in full, and leaves out tables that would list
// them one by one.
inline constexpr std::size_t kManyProcesses = 20;

struct ReportOptions {
    Style style = {};
    Metric metric = {};
    std::size_t top = 10;                // rows of each table
    std::optional<double> percent = {};  // least share of a call path shown; none: 1 %, raised until it fits
    bool is_brief = false;               // for many processes, as above: at most about 100 lines in all
};

// The last words of a brief report: what it has left out, and how to see it.
std::string left_out_note(const Style& style, std::size_t processes);

std::string terminal_report(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                            const ReportOptions& options);

}  // namespace kymo::view
