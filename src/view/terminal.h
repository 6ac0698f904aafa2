// The report for a terminal: what was run, what stands out, how well it was measured, then call paths, functions,
// lines, threads and events.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/report_options.h"

#include <string>

namespace kymo::view {

// What is to be said before all else, findings included (summary.h); as a rule nothing.
std::string terminal_alarms(const Style& style, const spacetime::Profile& profile);

// The last words of a brief report: what it has left out, and how to see it.
std::string left_out_note(const Style& style, std::size_t processes);

std::string terminal_report(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                            const ReportOptions& options);

}  // namespace kymo::view
