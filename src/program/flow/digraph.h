// A directed graph of small numbers, and its dominators. Pure; no recursion, so hostile graphs cost time and memory
// in proportion to their size and nothing worse.
#pragma once

#include "base/index.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kymo::program {

// Nodes 0 … size()-1; edges in the order given, double ones kept. Both directions are stored.
class Digraph {
  public:
    using Edge = std::pair<std::uint32_t, std::uint32_t>;

    Digraph() = default;
    // Precondition: every end < nodes. Cost: linear.
    Digraph(std::uint32_t nodes, std::span<const Edge> edges);

    std::uint32_t size() const { return static_cast<std::uint32_t>(out_at_.size()) - 1; }
    std::span<const std::uint32_t> successors(std::uint32_t node) const { return slice(out_at_, out_, node); }
    std::span<const std::uint32_t> predecessors(std::uint32_t node) const { return slice(in_at_, in_, node); }

  private:
    static std::span<const std::uint32_t> slice(const std::vector<std::uint32_t>& at,
                                                const std::vector<std::uint32_t>& items, std::uint32_t node) {
        return std::span(items).subspan(at[node], at[node + 1] - at[node]);
    }
    std::vector<std::uint32_t> out_at_ = {0};
    std::vector<std::uint32_t> out_;
    std::vector<std::uint32_t> in_at_ = {0};
    std::vector<std::uint32_t> in_;
};

// Depth-first numbering from a root, successors in their order.
struct DepthFirst {
    std::vector<std::uint32_t> order;      // nodes by preorder number; only those reached
    std::vector<std::uint32_t> number;     // by node: preorder number, kNone where not reached
    std::vector<std::uint32_t> last;       // by preorder number: the largest preorder number among its descendants
    std::vector<std::uint32_t> postorder;  // nodes, children first

    // Is the node numbered `above` an ancestor of (or the same as) the one numbered `below` in the spanning tree?
    bool is_ancestor(std::uint32_t above, std::uint32_t below) const {
        return above <= below && below <= last[above];
    }
};
DepthFirst depth_first(const Digraph& graph, std::uint32_t root);

// By node: its immediate dominator; the root's is itself, that of a node that `root` does not reach is kNone.
// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001. Linear for what compilers make, quadratic
// at worst.
std::vector<std::uint32_t> immediate_dominators(const Digraph& graph, std::uint32_t root);

}  // namespace kymo::program
