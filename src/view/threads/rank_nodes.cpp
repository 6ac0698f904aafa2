#include "view/threads/rank_nodes.h"

namespace kymo::view {

std::vector<bool> ranks_to_combine(const spacetime::Profile& profile, const spacetime::CallTree& tree) {
    constexpr std::size_t kOneByOne = 8;
    if (profile.ranks.size() <= kOneByOne) {
        return {};
    }
    std::vector<bool> ranks(tree.nodes.size());
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        const spacetime::ProfileNode& node = profile.nodes[i];
        if (node.kind == spacetime::NodeKind::kProcess && profile.processes[node.image].rank != spacetime::kNoRank) {
            ranks[raw(tree.node_of[i])] = true;
        }
    }
    return ranks;
}

}  // namespace kymo::view
