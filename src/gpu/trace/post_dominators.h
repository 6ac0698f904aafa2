// Where ways through a graph meet again.
#pragma once

#include <cstdint>
#include <vector>

namespace kymo::gpu {

// The immediate post-dominator of each node: the first node that all ways from it to the end come through.
// `next[n]`: the nodes after n; next.size() stands for the end, and for what a node that never comes there meets at.
// By iteration over the reversed graph (Cooper, Harvey and Kennedy, 2001); a few passes over the edges.
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<std::vector<std::uint32_t>>& next);

}  // namespace kymo::gpu
