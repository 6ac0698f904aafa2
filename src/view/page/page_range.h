// The notation for a part of a run: "1.2..1.3", seconds since the start.
#pragma once

#include "base/result.h"
#include "base/time.h"

#include <string>

namespace kymo::view {

// ns since the run's begin; the first is the smaller. Error: kUsage.
Result<TimeRange> parse_page_range(const std::string& text);

}  // namespace kymo::view
