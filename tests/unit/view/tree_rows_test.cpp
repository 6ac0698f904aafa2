#include "view/tree_rows.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr CallNodeIndex kTop(0);
const Metric kUserTime{"user time", {kUser}, true, true};

struct Made {
    CallTree tree;

    Made() {
        tree.nodes = {{.kind = NodeKind::kRoot}};
        tree.self = CostTable(0);
        tree.self.resize(1);
    }
    CallNodeIndex node(CallNodeIndex parent, std::int64_t self) {
        tree.nodes.push_back({.parent = parent, .function = static_cast<std::uint32_t>(tree.nodes.size())});
        tree.self.resize(tree.nodes.size());
        tree.self[tree.nodes.size() - 1][kUser] = self;
        return CallNodeIndex(tree.nodes.size() - 1);
    }
    std::vector<TreeRow> rows(TreeLimits limits = {}) {
        tree.total = tree.self;
        for (std::size_t i = tree.nodes.size() - 1; i > 0; --i) {
            add(tree.nodes[i].parent.in(tree.total), tree.total[i]);
        }
        return tree_rows(tree, kUserTime, limits);
    }
};

TEST(TreeRows, AChainIsOneRow) {
    Made made;
    made.node(made.node(made.node(kTop, 0), 0), 100);
    const auto rows = made.rows();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].chain, (std::vector{CallNodeIndex(1), CallNodeIndex(2), CallNodeIndex(3)}));
    EXPECT_EQ(rows[0].costs[kUser], 100);
}

TEST(TreeRows, BelowARowItsPartsAddUp) {
    Made made;
    const auto top = made.node(kTop, 200);
    const auto heavy = made.node(top, 700);
    for (int i = 0; i < 10; ++i) {
        made.node(top, 10);
    }
    const auto rows = made.rows({.least_share = 0.05});
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].chain, (std::vector{top}));
    EXPECT_EQ(rows[1].chain, (std::vector{heavy}));
    EXPECT_EQ(rows[2].kind, TreeRow::Kind::kItself);
    EXPECT_EQ(rows[2].costs[kUser], 200);
    EXPECT_EQ(rows[3].kind, TreeRow::Kind::kRest);
    EXPECT_EQ(rows[3].rest, 10U);
    EXPECT_EQ(rows[3].costs[kUser], 100);
    EXPECT_EQ(rows[1].costs[kUser] + rows[2].costs[kUser] + rows[3].costs[kUser], rows[0].costs[kUser]);
    EXPECT_EQ(rows[3].is_last, (std::vector<bool>{true, true}));
    EXPECT_EQ(rows[1].is_last, (std::vector<bool>{true, false}));
}

TEST(TreeRows, HeaviestFirst) {
    Made made;
    const auto light = made.node(kTop, 20);
    const auto heavy = made.node(kTop, 80);
    const auto rows = made.rows();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].chain[0], heavy);
    EXPECT_EQ(rows[1].chain[0], light);
}

TEST(TreeRows, TheThresholdRisesUntilTheRowsFit) {
    Made made;
    const auto top = made.node(kTop, 0);
    for (int i = 0; i < 50; ++i) {
        made.node(top, 100 + i);
    }
    EXPECT_EQ(made.rows({.least_share = 0.001, .most_rows = 1000}).size(), 51U);
    EXPECT_LE(made.rows({.least_share = 0.001, .most_rows = 20}).size(), 20U);
}

TEST(TreeRows, OfManyRootsThatAreAlikeTheFirstAreShown) {
    Made made;
    for (int i = 0; i < 17; ++i) {
        made.node(made.node(kTop, 10), 100);
    }
    const auto rows = made.rows({.least_share = 0.01, .most_rows = 9});
    ASSERT_EQ(rows.size(), 9U);
    EXPECT_EQ(rows.back().kind, TreeRow::Kind::kRest);
    EXPECT_EQ(rows.back().rest, 13U);
    EXPECT_EQ(rows.back().costs[kUser], 13 * 110);
}

TEST(TreeRows, DeepBranchingNeedsNoStack) {
    Made made;
    CallNodeIndex at = kTop;
    for (int depth = 0; depth < 20'000; ++depth) {
        at = made.node(at, 5);
    }
    EXPECT_GE(made.rows({.least_share = 0, .most_rows = SIZE_MAX}).size(), 20'000U);
}

TEST(TreeRows, OfNothingAreNone) {
    Made made;
    EXPECT_TRUE(made.rows().empty());
    made.node(kTop, 0);
    EXPECT_TRUE(made.rows().empty());
}

}  // namespace
}  // namespace kymo::view
