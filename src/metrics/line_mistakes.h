// Messages for a source line that has no code, with the lines to use instead.
#pragma once

#include "hooks/plan/planner.h"
#include "metrics/description.h"

namespace kymo::metrics {

Mistake no_such_line(const InstrumentationPoint& point, const hooks::NoLine& no_line);

}  // namespace kymo::metrics
