// The four collections as tables for a terminal: code spaces, same spaces, gaps and periods, neighbours.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "view/metric.h"
#include "view/report_options.h"
#include "view/text.h"

#include <string>

namespace kymo::view {

// `filter`: only places whose function, file or module holds this text; empty: all. Sorted by options.metric.
std::string terminal_spaces(const spacetime::Evidence& evidence, const ReportOptions& options,
                            std::string_view filter = {});

}  // namespace kymo::view
