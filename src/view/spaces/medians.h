// Median durations of occurrences: of the rows that are kept, or, if none are, to a factor of 1.5 of the counts by
// octave.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <cstdint>

namespace kymo::view {

// 0: there are no occurrences.
std::uint64_t median_duration(const spacetime::SpaceNode& node);
// Of the node's occurrences in one neighbourhood.
std::uint64_t median_duration(const spacetime::SpaceNode& node, const spacetime::CodePattern& pattern);

}  // namespace kymo::view
