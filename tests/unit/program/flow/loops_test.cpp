#include "program/flow/loops.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace kymo::program {
namespace {

using Edges = std::vector<Digraph::Edge>;

TEST(Loops, NestAndKnowTheirBackEdges) {
    // 0 → 1 (outer header) → 2 (inner header) → 3 → 2, 3 → 4 → 1, 4 → 5
    const Loops found = find_loops(Digraph(6, Edges{{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {4, 5}}), 0);
    ASSERT_EQ(found.loops.size(), 2U);
    EXPECT_EQ(found.loops[0].header, 1U);
    EXPECT_EQ(found.loops[0].depth, 1U);
    EXPECT_EQ(found.loops[0].own, (std::vector{1U, 4U}));
    EXPECT_EQ(found.loops[1].header, 2U);
    EXPECT_EQ(found.loops[1].parent, 0U);
    EXPECT_EQ(found.loops[1].depth, 2U);
    EXPECT_EQ(found.loops[1].own, (std::vector{2U, 3U}));
    EXPECT_EQ(found.loop_of, (std::vector<std::uint32_t>{kNone, 0U, 1U, 1U, 0U, kNone}));
    EXPECT_EQ(found.back_edges, (Edges{{4, 1}, {3, 2}}));
    EXPECT_TRUE(found.contains(0, 3));
    EXPECT_FALSE(found.contains(1, 4));
    EXPECT_FALSE(found.loops[0].irreducible || found.loops[1].irreducible || found.gave_up);
}

TEST(Loops, OfOneBlockAndWithTwoLatches) {
    // 1 → 1; 2 → {3, 4} → 2
    const Loops found =
        find_loops(Digraph(6, Edges{{0, 1}, {1, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 2}, {4, 2}, {2, 5}}), 0);
    ASSERT_EQ(found.loops.size(), 2U);
    EXPECT_EQ(found.loops[0].own, (std::vector{1U}));
    EXPECT_EQ(found.loops[1].own, (std::vector{2U, 3U, 4U}));
    EXPECT_EQ(found.back_edges, (Edges{{1, 1}, {3, 2}, {4, 2}}));
}

TEST(Loops, EnteredInTheMiddleAreToldAsIrreducible) {
    // The spin of a lock: 0 → 1, 0 → 2, 1 → 2, 2 → 1, 1 → 3
    const Loops found = find_loops(Digraph(4, Edges{{0, 1}, {0, 2}, {1, 2}, {2, 1}, {1, 3}}), 0);
    ASSERT_EQ(found.loops.size(), 1U);
    EXPECT_TRUE(found.loops[0].irreducible);
    EXPECT_EQ(found.loops[0].own, (std::vector{1U, 2U}));
}

TEST(Loops, WhoseInnerLoopIsIrreducibleStayReducible) {
    // outer 1 … 4 → 1; inside 1 → 2, 1 → 3, 2 → 3, 3 → 2
    const Loops found =
        find_loops(Digraph(6, Edges{{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {4, 5}}), 0);
    ASSERT_EQ(found.loops.size(), 2U);
    EXPECT_EQ(found.loops[0].header, 1U);
    EXPECT_FALSE(found.loops[0].irreducible);
    EXPECT_TRUE(found.loops[1].irreducible);
    EXPECT_EQ(found.loops[1].parent, 0U);
}

TEST(Loops, AreNotFoundWhereThereAreNone) {
    const Loops found = find_loops(Digraph(4, Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}}), 0);
    EXPECT_TRUE(found.loops.empty());
    EXPECT_TRUE(found.back_edges.empty());
}

// In a reducible graph a natural loop is: the header, and all that reaches one of its latches without passing the
// header.
TEST(Loops, OfRandomReducibleGraphsAreTheNaturalLoops) {
    std::mt19937 random(11);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    int loops_seen = 0;
    for (int round = 0; round < 500; ++round) {
        const std::uint32_t nodes = 2 + below(12);
        Edges edges;
        for (std::uint32_t i = 1; i < nodes; ++i) {
            edges.emplace_back(below(i), i);
        }
        for (std::uint32_t i = below(nodes); i-- > 0;) {
            const std::uint32_t from = below(nodes);
            edges.emplace_back(from, from + below(nodes - from));
        }
        std::erase_if(edges, [](const auto& edge) { return edge.first == edge.second; });
        const auto dominators = immediate_dominators(Digraph(nodes, edges), 0);
        for (std::uint32_t i = below(4); i-- > 0;) {  // back edges to dominators only: reducible
            const std::uint32_t from = below(nodes);
            std::uint32_t to = from;
            for (std::uint32_t up = below(4); up-- > 0;) {
                to = dominators[to];
            }
            edges.emplace_back(from, to);
        }
        const Digraph graph(nodes, edges);
        const Loops found = find_loops(graph, 0);
        for (std::uint32_t loop = 0; loop < found.loops.size(); ++loop) {
            ++loops_seen;
            ASSERT_FALSE(found.loops[loop].irreducible) << round;
            const std::uint32_t header = found.loops[loop].header;
            std::vector<bool> body(nodes, false);
            std::vector<std::uint32_t> stack;
            body[header] = true;
            for (const auto& [latch, to] : found.back_edges) {
                if (to == header && !body[latch]) {
                    body[latch] = true;
                    stack.push_back(latch);
                }
            }
            while (!stack.empty()) {
                const std::uint32_t node = stack.back();
                stack.pop_back();
                for (const std::uint32_t from : graph.predecessors(node)) {
                    if (!body[from]) {
                        body[from] = true;
                        stack.push_back(from);
                    }
                }
            }
            for (std::uint32_t node = 0; node < nodes; ++node) {
                ASSERT_EQ(found.contains(loop, node), body[node]) << "round " << round << " node " << node;
            }
        }
    }
    EXPECT_GT(loops_seen, 200);
}

// Without its back edges no graph has a cycle, reducible or not: that is what walks that take each of them once rely
// on.
TEST(Loops, LeaveNoCycleOutsideTheirBackEdges) {
    std::mt19937 random(13);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    for (int round = 0; round < 500; ++round) {
        const std::uint32_t nodes = 1 + below(10);
        Edges edges;
        for (std::uint32_t i = below(3 * nodes); i-- > 0;) {
            edges.emplace_back(below(nodes), below(nodes));
        }
        const Digraph graph(nodes, edges);
        const DepthFirst depth = depth_first(graph, 0);
        const Loops found = find_loops(graph, 0);
        std::vector<std::uint32_t> finished(nodes, 0);
        for (std::uint32_t i = 0; i < depth.postorder.size(); ++i) {
            finished[depth.postorder[i]] = i;
        }
        for (const auto& [from, to] : edges) {
            if (depth.number[from] == kNone) {
                continue;
            }
            const bool back =
                std::count(found.back_edges.begin(), found.back_edges.end(), Digraph::Edge{from, to}) != 0;
            ASSERT_EQ(back, finished[to] >= finished[from]) << round;
        }
    }
}

TEST(Loops, OfAHostileGraphEnd) {
    // A ladder of irreducible loops: every rung can be entered from the root.
    constexpr std::uint32_t kNodes = 20'000;
    Edges edges;
    for (std::uint32_t i = 1; i < kNodes; ++i) {
        edges.emplace_back(i - 1, i);
        edges.emplace_back(i, i - 1);
        edges.emplace_back(0, i);
    }
    const Loops found = find_loops(Digraph(kNodes, edges), 0);
    EXPECT_EQ(found.loop_of.size(), kNodes);
}

}  // namespace
}  // namespace kymo::program
