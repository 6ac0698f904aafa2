#include "spacetime/evidence/kept_nodes.h"

#include <algorithm>
#include <numeric>

namespace kymo::spacetime {
namespace {

constexpr Share kAll = {999'000};

bool is_call(const StructureNode& node) {
    return !node.is_group && node.kind == SpaceKind::kFunction;
}

}  // namespace

KeptNodes keep_nodes(const Structure& structure, Share share, const std::vector<bool>& asked) {
    const std::size_t count = structure.nodes.size();
    const std::uint64_t processor = positive(processor_time(structure.total[0]));
    const std::uint64_t wall = positive(wall_time(structure.total[0]));
    std::vector<bool> is_kept(count);
    for (std::size_t node = 1; node < count; ++node) {
        const auto costs = structure.total[node];
        is_kept[node] =
            !structure.nodes[node].is_group && (is_above(positive(processor_time(costs)), processor, share) ||
                                                is_above(positive(wall_time(costs)), wall, share));
    }
    // Children's children first, so that a chain of wrappers is dropped as a whole.
    std::vector<std::uint32_t> kept_below(count, 0);
    std::vector<std::uint32_t> only(count, kNone);
    for (std::size_t node = count; node-- > 1;) {
        if (structure.nodes[node].is_runtime && kept_below[node] != 0) {
            is_kept[node] = false;
        }
        if (is_kept[node] && is_call(structure.nodes[node]) && kept_below[node] == 1 &&
            is_call(structure.nodes[only[node]])) {
            const auto own = structure.total[node];
            const auto below = structure.total[only[node]];
            is_kept[node] = !(is_at_least(positive(wall_time(below)), positive(wall_time(own)), kAll) &&
                              is_at_least(positive(processor_time(below)), positive(processor_time(own)), kAll));
        }
        is_kept[node] = is_kept[node] || (node < asked.size() && asked[node]);
        const std::uint32_t parent = structure.nodes[node].parent;
        const std::uint32_t counts = is_kept[node] ? 1 : kept_below[node];
        if (counts != 0) {
            kept_below[parent] += counts;
            only[parent] = is_kept[node] ? static_cast<std::uint32_t>(node) : only[node];
        }
    }

    // Depth first, siblings by time.
    std::vector<std::vector<std::uint32_t>> below(count);
    std::vector<std::uint32_t> nearest(count, 0);  // kept ancestor, as a structure node; 0: none
    for (std::uint32_t node = 1; node < count; ++node) {
        const std::uint32_t parent = structure.nodes[node].parent;
        nearest[node] = is_kept[parent] ? parent : nearest[parent];
        if (is_kept[node]) {
            below[nearest[node]].push_back(node);
        }
    }
    KeptNodes kept;
    std::vector<std::uint32_t> number(count, kNone);
    std::vector<std::uint32_t> stack = {0};
    while (!stack.empty()) {
        const std::uint32_t at = stack.back();
        stack.pop_back();
        auto& list = below[at];
        std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
            const auto time_a = wall_time(structure.total[a]);
            const auto time_b = wall_time(structure.total[b]);
            return time_a != time_b ? time_a < time_b : a > b;
        });
        stack.insert(stack.end(), list.begin(), list.end());
        if (at == 0) {
            continue;
        }
        number[at] = static_cast<std::uint32_t>(kept.structure.size());
        const std::uint32_t parent = nearest[at] == 0 ? kNone : number[nearest[at]];
        kept.structure.push_back(at);
        kept.parent.push_back(parent);
        kept.depth.push_back(parent == kNone ? 0 : kept.depth[parent] + 1);
        kept.children.push_back(static_cast<std::uint32_t>(list.size()));
    }
    kept.leaf_of.resize(structure.node_of.size(), kNone);
    for (std::size_t i = 0; i < structure.node_of.size(); ++i) {
        const std::uint32_t node = structure.node_of[i];
        const std::uint32_t at = is_kept[node] ? node : nearest[node];
        kept.leaf_of[i] = at == 0 ? kNone : number[at];
    }
    return kept;
}

}  // namespace kymo::spacetime
