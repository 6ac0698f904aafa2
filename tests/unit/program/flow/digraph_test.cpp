#include "program/flow/digraph.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::program {
namespace {

using Edges = std::vector<Digraph::Edge>;

TEST(Digraph, KeepsEdgesInOrderInBothDirections) {
    const Digraph graph(3, Edges{{0, 2}, {0, 1}, {1, 2}, {0, 2}});
    EXPECT_EQ(std::vector(graph.successors(0).begin(), graph.successors(0).end()), (std::vector{2U, 1U, 2U}));
    EXPECT_EQ(std::vector(graph.predecessors(2).begin(), graph.predecessors(2).end()), (std::vector{0U, 1U, 0U}));
    EXPECT_TRUE(graph.successors(2).empty());
}

TEST(DepthFirst, KnowsDescendants) {
    //   0 → 1 → 2,  0 → 3 → 2 (2 is found below 1)
    const DepthFirst depth = depth_first(Digraph(5, Edges{{0, 1}, {1, 2}, {0, 3}, {3, 2}}), 0);
    EXPECT_EQ(depth.order, (std::vector{0U, 1U, 2U, 3U}));
    EXPECT_TRUE(depth.is_ancestor(depth.number[0], depth.number[2]));
    EXPECT_TRUE(depth.is_ancestor(depth.number[1], depth.number[2]));
    EXPECT_FALSE(depth.is_ancestor(depth.number[3], depth.number[2]));
    EXPECT_EQ(depth.number[4], kNone);
    EXPECT_EQ(depth.postorder, (std::vector{2U, 1U, 3U, 0U}));
}

TEST(DepthFirst, OfAVeryLongChainNeedsNoStack) {
    constexpr std::uint32_t kNodes = 1'000'000;
    Edges edges;
    for (std::uint32_t i = 0; i + 1 < kNodes; ++i) {
        edges.emplace_back(i, i + 1);
    }
    const Digraph graph(kNodes, edges);
    EXPECT_EQ(depth_first(graph, 0).last[0], kNodes - 1);
    EXPECT_EQ(immediate_dominators(graph, 0)[kNodes - 1], kNodes - 2);
}

TEST(Dominators, OfADiamondWithALoop) {
    //  0 → 1 → {2, 3} → 4 → 1,  4 → 5;  6 is not reached and points at 5
    const Digraph graph(7, Edges{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {6, 5}});
    EXPECT_EQ(immediate_dominators(graph, 0), (std::vector<std::uint32_t>{0U, 0U, 1U, 1U, 1U, 4U, kNone}));
}

TEST(Dominators, OfTheIrreducibleGraphInThePaper) {
    // Cooper, Harvey, Kennedy 2001, figure 2 (nodes 5 4 3 2 1 are 0 1 2 3 4 here): all are dominated by the root
    // only.
    const Digraph graph(5, Edges{{0, 1}, {0, 2}, {1, 4}, {2, 3}, {3, 4}, {4, 3}});
    EXPECT_EQ(immediate_dominators(graph, 0), (std::vector{0U, 0U, 0U, 0U, 0U}));
}

// a dominates b if b cannot be reached once a is taken out.
std::vector<bool> reached_without(const Digraph& graph, std::uint32_t taken_out) {
    std::vector<bool> seen(graph.size(), false);
    std::vector<std::uint32_t> stack;
    if (taken_out != 0) {
        seen[0] = true;
        stack.push_back(0);
    }
    while (!stack.empty()) {
        const std::uint32_t node = stack.back();
        stack.pop_back();
        for (const std::uint32_t next : graph.successors(node)) {
            if (next != taken_out && !seen[next]) {
                seen[next] = true;
                stack.push_back(next);
            }
        }
    }
    return seen;
}

TEST(Dominators, OfRandomGraphsAreThoseOfTheDefinition) {
    std::mt19937 random(7);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    for (int round = 0; round < 400; ++round) {
        const std::uint32_t nodes = 1 + below(12);
        Edges edges;
        for (std::uint32_t i = below(3 * nodes); i-- > 0;) {
            edges.emplace_back(below(nodes), below(nodes));
        }
        const Digraph graph(nodes, edges);
        const auto dominators = immediate_dominators(graph, 0);
        const auto reached = reached_without(graph, kNone);
        for (std::uint32_t a = 0; a < nodes; ++a) {
            const auto without = reached_without(graph, a);
            for (std::uint32_t b = 0; b < nodes; ++b) {
                bool found = false;
                for (std::uint32_t at = b; reached[b]; at = dominators[at]) {
                    found = found || at == a;
                    if (at == 0) {
                        break;
                    }
                }
                ASSERT_EQ(found, reached[b] && !without[b]) << "round " << round << ": " << a << " over " << b;
            }
            ASSERT_EQ(dominators[a] == kNone, !reached[a]);
        }
    }
}

}  // namespace
}  // namespace kymo::program
