#include "spacetime/spaces/hierarchy.h"

#include <algorithm>
#include <utility>

namespace kymo::spacetime {

Hierarchy make_hierarchy(const FunctionFlow& flow) {
    Hierarchy result;
    result.nodes.emplace_back();
    const auto& loops = flow.loops.loops;
    const std::vector<bool> has_inner = program::have_loops_inside(loops);
    for (std::uint32_t i = 0; i < loops.size(); ++i) {  // outer loops come first, so a loop's node is its index + 1
        const bool nest = loops[i].parent == kNone && has_inner[i];
        result.nodes.push_back({.kind = nest ? HierarchyKind::kLoopNest : HierarchyKind::kLoop,
                                .parent = loops[i].parent == kNone ? 0 : loops[i].parent + 1,
                                .loop = i,
                                .first_block = loops[i].header,
                                .irreducible = loops[i].irreducible,
                                .ranges = {}});
    }
    const auto& blocks = flow.graph.blocks;
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
        const std::uint32_t loop = flow.loops.loop_of[block];
        const bool goes_on =
            block > 0 && flow.straight[block] == flow.straight[block - 1] && loop == flow.loops.loop_of[block - 1];
        if (!goes_on) {
            result.nodes.push_back({.kind = HierarchyKind::kBlockRun,
                                    .parent = loop == kNone ? 0 : loop + 1,
                                    .first_block = block,
                                    .ranges = {}});
        }
        ++result.nodes.back().blocks;
        result.nodes.back().ranges.push_back({blocks[block].begin, blocks[block].end});
        result.run_of.push_back(static_cast<std::uint32_t>(result.nodes.size()) - 1);
    }
    for (std::size_t node = result.nodes.size(); node-- > 1;) {
        HierarchyNode& at = result.nodes[node];
        at.ranges = normalise(std::move(at.ranges));
        auto& above = result.nodes[at.parent].ranges;
        above.insert(above.end(), at.ranges.begin(), at.ranges.end());
    }
    result.nodes[0].ranges = normalise(std::move(result.nodes[0].ranges));
    return result;
}

std::vector<std::uint64_t> Hierarchy::sums(std::span<const std::uint64_t> by_block) const {
    std::vector<std::uint64_t> result(nodes.size(), 0);
    for (std::size_t block = 0; block < by_block.size(); ++block) {
        result[run_of[block]] += by_block[block];
    }
    for (std::size_t node = nodes.size(); node-- > 1;) {
        result[nodes[node].parent] += result[node];
    }
    return result;
}

std::uint32_t Hierarchy::smallest_holding(std::span<const std::uint64_t> sums, Share share) const {
    std::uint32_t at = 0;
    for (std::uint32_t node = 1; node < nodes.size(); ++node) {  // children come later than their parent
        if (nodes[node].parent == at && is_at_least(sums[node], sums[0], share)) {
            at = node;
        }
    }
    return at;
}

}  // namespace kymo::spacetime
