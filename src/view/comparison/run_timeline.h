// The course of one run, for laying its clock beside another run's.
#pragma once

#include "base/result.h"
#include "compare/align.h"
#include "recording/reader.h"

namespace kymo::view {

struct RunTimeline {
    compare::Timeline itself;      // to look at; "[other functions]": those with little time
    compare::Timeline with_calls;  // to match, and to look at: functions with all that they call
};

// Functions by the names that tables show, all that have a thousandth of the run. Bins hold some samples each, and
// are 400 at most. Errors: as load_profile(). Cost: O(samples), and naming the functions.
Result<RunTimeline> run_timeline(const recording::Recording& recording);

// Keeps the same functions in both runs: those with enough time in either; with their callees, not those that contain
// nearly all of both runs, if there are others.
void choose_rows(RunTimeline& base, RunTimeline& other);

}  // namespace kymo::view
