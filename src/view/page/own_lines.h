// The place in the program's own code of time that passes in libraries: the line of the innermost own function on the
// call path, for each leaf that is not itself a line of own code.
#pragma once

#include "program/symbolize.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/page/leaves.h"

#include <cstdint>
#include <vector>

namespace kymo::view {

struct OwnLine {
    std::uint32_t leaf = 0;  // index of Leaves::leaves
    std::uint32_t line = 0;  // index of Leaves::lines
    std::int64_t ns = 0;     // the leaf's thread time, waiting included, below this line
};

// By leaf, then line. A leaf may be below several lines: its call paths are of functions, not of lines. Adds lines to
// `leaves` that were sampled as callers only. `requests`: as make_leaves() has them. Cost: linear in the profile.
std::vector<OwnLine> own_lines(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                               const std::vector<program::Request>& requests, Leaves& leaves);

}  // namespace kymo::view
