// The report of a profile for a terminal: what was run, what is notable, how well it was measured, then call paths,
// functions, lines, threads and events. The findings (report.cpp) are between the two.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/report_options.h"

#include <string>
#include <vector>

namespace kymo::view {

// The first lines.
struct Headline {
    std::string verdict = {};              // one line; empty: none
    std::vector<std::string> alarms = {};  // before it, in red
};

// What was run, alarms and the verdict.
std::string terminal_head(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                          const ReportOptions& options, const Headline& headline = {});

// The same, the summary, and how well it was measured.
std::string terminal_overview(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                              const ReportOptions& options, const Headline& headline = {});

// The tables of the profile.
std::string terminal_tables(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                            const ReportOptions& options);

}  // namespace kymo::view
