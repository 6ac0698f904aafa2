// The four collections as tables for a terminal: code spaces, same spaces, gaps and periods, neighbours.
#pragma once

#include "spacetime/branches/branches.h"
#include "spacetime/evidence/evidence.h"
#include "view/metric.h"
#include "view/report_options.h"
#include "view/text.h"

#include <string>

namespace kymo::view {

// `branches`: with what ran of each group of same spaces; empty where there are no branch stacks. `filter`: only
// places whose function, file or module holds this text; empty: all. Sorted by options.metric.
std::string terminal_spaces(const spacetime::Evidence& evidence, const ReportOptions& options,
                            std::string_view filter = {}, const spacetime::Branches& branches = {});

}  // namespace kymo::view
