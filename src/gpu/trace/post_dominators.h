// Where paths through a graph meet again.
#pragma once

#include <cstdint>
#include <vector>

namespace kymo::gpu {

// The immediate post-dominator of each node: the first node on all paths from it to the end. `next[n]`: the nodes
// after n; next.size() represents the end, and is also the result for a node that never reaches it. By iteration
// over the reversed graph (Cooper, Harvey and Kennedy, 2001); a few passes over the edges.
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<std::vector<std::uint32_t>>& next);

}  // namespace kymo::gpu
