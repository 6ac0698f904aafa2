#include "program/flow/flow_graph.h"

#include <vector>

namespace kymo::program {

Digraph block_digraph(const FlowGraph& graph) {
    const std::uint32_t root = static_cast<std::uint32_t>(graph.blocks.size());
    std::vector<Digraph::Edge> edges;
    // Parts are numbered by the root through which they are first reached. An edge from a later part into an
    // earlier one is left out: padding that falls into a loop, or a handler that continues in it, must not look
    // like a second entry.
    std::vector<std::uint32_t> part(graph.blocks.size(), kNone);
    std::vector<std::uint32_t> stack;
    std::uint32_t parts = 0;
    const auto reach = [&](std::uint32_t block) {
        if (part[block] == kNone) {
            part[block] = parts;
            stack.push_back(block);
        }
    };
    const auto add_root = [&](std::uint32_t block) {
        if (part[block] != kNone) {
            return;
        }
        edges.emplace_back(root, block);
        reach(block);
        while (!stack.empty()) {
            const std::uint32_t from = stack.back();
            stack.pop_back();
            for (const BlockEdge& edge : graph.edges_of(from)) {
                reach(edge.to);
                if (part[edge.to] == parts) {
                    edges.emplace_back(from, edge.to);
                }
            }
        }
        ++parts;
    };
    for (const std::uint32_t entry : graph.entries) {
        add_root(entry);
    }
    std::vector<bool> has_predecessor(graph.blocks.size(), false);
    for (const BlockEdge& edge : graph.edges) {
        has_predecessor[edge.to] = true;
    }
    for (std::uint32_t block = 0; block < root; ++block) {
        if (!has_predecessor[block]) {
            add_root(block);
        }
    }
    for (std::uint32_t block = 0; block < root; ++block) {
        add_root(block);
    }
    return {root + 1, edges};
}

}  // namespace kymo::program
