// What a run is expected to be shorter by once a finding's defect is gone: an interval that is to hold in four cases
// of five. docs/measurements.md has what it held.
//
// A finding's share is what its time takes of the run. The run becomes shorter by more where the time has further
// costs (memory that comes new from the kernel is not in the caches), and by less where others take its place (who
// waited for one lock waits for the next). By how much was measured: programs with a known defect and the same ones
// without it (tests/programs/score), each kind of time by itself.
#pragma once

#include "findings/terms.h"

namespace kymo::findings {

struct ExpectedGain {
    double low = 0;  // shares of the run's duration
    double high = 0;
};

// `share`: of the run's duration, 0 … 1. `terms`: the kinds of time that it is of. `least`: Rule::least_gain.
ExpectedGain expected_gain(double share, TermSet terms, double least = 1);

}  // namespace kymo::findings
