// The four collections shown whole for a terminal: heavy code with its events and its life in time, gaps one by one,
// neighbours with their events. Shorter tables, beside the rest of the report: space_tables.h.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "view/report_options.h"

#include <string>
#include <string_view>

namespace kymo::view {

// The collections that options.more requests. Not empty if it requests any: an empty collection is reported.
std::string terminal_collections(const spacetime::Evidence& evidence, const ReportOptions& options,
                                 std::string_view filter = {});

}  // namespace kymo::view
