#include "spacetime/spaces/hierarchy.h"

#include "drawn_graph.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

TEST(Hierarchy, RunsInLoopsInNestsInTheFunction) {
    // 0 → 1 (outer) → 2 → 3 (inner, a single block) → 4 → 1, 5: then 5 → 6 (loop of its own) → 7
    const FunctionFlow flow(draw({1, 1, 1, 1, 1, 1, 1, 1},
                                 {{0, 1}, {1, 2}, {2, 3}, {3, 3}, {3, 4}, {4, 1}, {4, 5}, {5, 6}, {6, 6}, {6, 7}}));
    const Hierarchy found = make_hierarchy(flow);
    const auto kind = [&](std::uint32_t node) { return found.nodes[node].kind; };
    const auto above = [&](std::uint32_t node) { return found.nodes[node].parent; };
    EXPECT_EQ(kind(0), HierarchyKind::kFunction);
    EXPECT_EQ(found.nodes[0].ranges, (std::vector<ByteRange>{{0x1000, 0x1020}}));

    const std::uint32_t inner_run = found.run_of[3];
    EXPECT_EQ(kind(inner_run), HierarchyKind::kBlockRun);
    EXPECT_EQ(kind(above(inner_run)), HierarchyKind::kLoop);
    EXPECT_EQ(found.nodes[above(inner_run)].ranges, (std::vector<ByteRange>{{0x100c, 0x1010}}));
    const std::uint32_t nest = above(above(inner_run));
    EXPECT_EQ(kind(nest), HierarchyKind::kLoopNest);
    EXPECT_EQ(found.nodes[nest].ranges, (std::vector<ByteRange>{{0x1004, 0x1014}}));
    EXPECT_EQ(above(nest), 0U);
    EXPECT_EQ(kind(above(found.run_of[6])), HierarchyKind::kLoop);
    EXPECT_EQ(above(above(found.run_of[6])), 0U);

    // 1 and 2 are one straight run; 0 falls into it, but lies outside the loop.
    EXPECT_EQ(found.run_of[1], found.run_of[2]);
    EXPECT_NE(found.run_of[0], found.run_of[1]);
    EXPECT_EQ(found.nodes[found.run_of[1]].blocks, 2U);
}

TEST(Hierarchy, SumsAndTheSmallestNodeThatHoldsEnough) {
    const FunctionFlow flow(draw({1, 1, 1, 1, 1}, {{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 1}, {3, 4}}));
    const Hierarchy found = make_hierarchy(flow);
    const auto sums = found.sums(std::vector<std::uint64_t>{5, 10, 60, 15, 10});
    EXPECT_EQ(sums[0], 100U);
    const std::uint32_t inner = found.nodes[found.run_of[2]].parent;
    const std::uint32_t nest = found.nodes[inner].parent;
    EXPECT_EQ(sums[inner], 60U);
    EXPECT_EQ(sums[nest], 85U);
    EXPECT_EQ(found.smallest_holding(sums, percent(60)), found.run_of[2]);
    EXPECT_EQ(found.smallest_holding(sums, percent(61)), nest);
    EXPECT_EQ(found.smallest_holding(sums, percent(85)), nest);
    EXPECT_EQ(found.smallest_holding(sums, percent(86)), 0U);
}

}  // namespace
}  // namespace kymo::spacetime
