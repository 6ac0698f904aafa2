// Ranks of a parallel job in a call tree.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"

#include <vector>

namespace kymo::view {

// The nodes of the ranks, by call node, of a job of more ranks than one looks at one by one; empty of others. There
// they are shown as one node, and equal call paths below them as one.
std::vector<bool> ranks_to_combine(const spacetime::Profile& profile, const spacetime::CallTree& tree);

}  // namespace kymo::view
