#include "program/flow/digraph.h"

namespace kymo::program {

Digraph::Digraph(std::uint32_t nodes, std::span<const Edge> edges)
    : out_at_(nodes + std::size_t{1}), out_(edges.size()), in_at_(nodes + std::size_t{1}), in_(edges.size()) {
    for (const auto& [from, to] : edges) {
        ++out_at_[from + 1];
        ++in_at_[to + 1];
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
        out_at_[node + 1] += out_at_[node];
        in_at_[node + 1] += in_at_[node];
    }
    std::vector<std::uint32_t> out_next(out_at_.begin(), out_at_.end() - 1);
    std::vector<std::uint32_t> in_next(in_at_.begin(), in_at_.end() - 1);
    for (const auto& [from, to] : edges) {
        out_[out_next[from]++] = to;
        in_[in_next[to]++] = from;
    }
}

DepthFirst depth_first(const Digraph& graph, std::uint32_t root) {
    DepthFirst result;
    result.number.assign(graph.size(), kNone);
    struct Frame {
        std::uint32_t node;
        std::uint32_t next;
    };
    std::vector<Frame> stack;
    const auto enter = [&](std::uint32_t node) {
        result.number[node] = static_cast<std::uint32_t>(result.order.size());
        result.order.push_back(node);
        stack.push_back({node, 0});
    };
    enter(root);
    while (!stack.empty()) {
        Frame& top = stack.back();
        const auto successors = graph.successors(top.node);
        if (top.next < successors.size()) {
            const std::uint32_t next = successors[top.next++];
            if (result.number[next] == kNone) {
                enter(next);
            }
            continue;
        }
        result.last.resize(result.order.size());
        result.last[result.number[top.node]] = static_cast<std::uint32_t>(result.order.size()) - 1;
        result.postorder.push_back(top.node);
        stack.pop_back();
    }
    return result;
}

std::vector<std::uint32_t> immediate_dominators(const Digraph& graph, std::uint32_t root) {
    const DepthFirst depth = depth_first(graph, root);
    std::vector<std::uint32_t> finished(graph.size(), 0);  // postorder numbers
    for (std::uint32_t i = 0; i < depth.postorder.size(); ++i) {
        finished[depth.postorder[i]] = i;
    }
    std::vector<std::uint32_t> dominator(graph.size(), kNone);
    dominator[root] = root;
    const auto intersect = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (finished[a] < finished[b]) {
                a = dominator[a];
            }
            while (finished[b] < finished[a]) {
                b = dominator[b];
            }
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = depth.postorder.size(); i-- > 0;) {
            const std::uint32_t node = depth.postorder[i];
            if (node == root) {
                continue;
            }
            std::uint32_t best = kNone;
            for (const std::uint32_t from : graph.predecessors(node)) {
                if (dominator[from] != kNone) {
                    best = best == kNone ? from : intersect(best, from);
                }
            }
            if (dominator[node] != best) {
                dominator[node] = best;
                changed = true;
            }
        }
    }
    return dominator;
}

}  // namespace kymo::program
