// Heavy hitters of one source line as one row: what a compiler has made several instructions of is one place to its
// author.
#pragma once

#include "spacetime/hunt_results/hunt_results.h"

#include <vector>

namespace kymo::spacetime {

// Orders the heavy hitters by row, the row with the largest share first, and within a row by share; sets `row` of
// each. In one row are those of a process that are of one line of one function; where the line is not known, or a
// source is not an instruction (key), each is a row of its own.
std::vector<HuntRow> gather_by_line(std::vector<HeavyHitter>& hitters, recording::HuntKey key);

}  // namespace kymo::spacetime
