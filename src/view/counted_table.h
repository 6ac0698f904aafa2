// The occurrences that a finding counted, one by one, beside others for comparison: a table for a terminal.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"
#include "view/text.h"

#include <cstddef>
#include <string>

namespace kymo::view {

// Nothing if none are kept. `top`: rows of either kind.
std::string terminal_counted(const Style& style, const spacetime::Evidence& evidence,
                             const findings::Finding& finding, std::size_t top);

}  // namespace kymo::view
