// What one run did when, for laying its clock beside another run's.
#pragma once

#include "base/result.h"
#include "compare/align.h"
#include "recording/reader.h"

namespace kymo::view {

struct RunTimeline {
    compare::Timeline itself;      // to look at: those with little time are one, "[other functions]"
    compare::Timeline with_calls;  // to match: functions with all that they call; not those that are always there,
                                   // where there are others
};

// Functions by the names that tables show. Bins hold some samples each, and are 400 at most. Errors: as
// load_profile(). Cost: O(samples), and naming the functions.
Result<RunTimeline> run_timeline(const recording::Recording& recording);

}  // namespace kymo::view
