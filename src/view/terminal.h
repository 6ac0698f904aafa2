// The report of a profile for a terminal: what was run, what stands out, how well it was measured, then call paths,
// functions, lines, threads and events. Between the two stand the findings (report.cpp).
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/report_options.h"

#include <string>

namespace kymo::view {

// What was run, and alarms.
std::string terminal_head(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                          const ReportOptions& options);

// What was run, alarms, the summary, and how well it was measured.
std::string terminal_overview(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                              const ReportOptions& options);

// The tables of the profile.
std::string terminal_tables(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                            const ReportOptions& options);

}  // namespace kymo::view
