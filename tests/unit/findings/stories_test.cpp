// Which of several claims about the same time is shown.
#include "findings/stories.h"

#include "findings/rule.h"
#include "made_evidence.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kymo::findings {

extern const Rule kPageFaultsOfSpace;
extern const Rule kSlowInstance;
extern const Rule kLoadImbalance;
namespace {

Weighed claim(std::uint32_t node, double share_low, std::string kind = "page-faults") {
    Weighed made;
    made.finding.kind = std::move(kind);
    made.finding.node = NodeIndex(node);
    made.finding.share_low = share_low;
    made.rule = &kPageFaultsOfSpace;
    made.terms = 1;
    return made;
}

TEST(Stories, OfOneKindTheInnermostPlaceWithMostOfItIsShown) {
    MadeEvidence made;
    const std::uint32_t outer = made.add_node("solve");
    const std::uint32_t inner = made.add_node("assemble", outer);
    const std::uint32_t least = made.add_node("fill", inner);
    made.finish();
    const std::vector<Finding> findings =
        join_stories(made.evidence, {claim(outer, 0.50), claim(inner, 0.45), claim(least, 0.10)});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].node, NodeIndex(inner));
}

// The rounds of a loop have in them what the loop has, so that a loop, its rounds and the rounds of another level
// are each inside the others.
TEST(Stories, ALoopAndItsRoundsAreOnePlace) {
    MadeEvidence made;
    const std::uint32_t loop = made.add_node("solve", kNone, spacetime::SpaceKind::kLoop);
    const std::uint32_t rounds = made.add_node("solve", loop, spacetime::SpaceKind::kIteration);
    const std::uint32_t others = made.add_node("solve", loop, spacetime::SpaceKind::kIteration);
    made.finish();
    const std::vector<Finding> findings =
        join_stories(made.evidence, {claim(loop, 0.50), claim(rounds, 0.50), claim(others, 0.50)});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].node, NodeIndex(loop));
}

// Uneven parts are dealt out by the loop over them, further out than the code that works longest in one of them, and
// further inside than a loop in whose rounds the threads wait for one another.
TEST(Stories, UnevenPartsAreShownAtTheLoopOverThem) {
    MadeEvidence made;
    const std::uint32_t thread = made.add_node("work");
    const std::uint32_t steps = made.add_node("work", thread, spacetime::SpaceKind::kLoopNest);
    const std::uint32_t step = made.add_node("advance", steps);
    const std::uint32_t rows = made.add_node("advance", step, spacetime::SpaceKind::kLoop);
    const std::uint32_t row = made.add_node("relax", rows);
    made.finish();
    const auto set = [&](std::uint32_t node, std::int64_t user, std::int64_t waiting) {
        NodeIndex(node).in(made.evidence.nodes).total = {.user = user, .waiting = waiting};
    };
    set(thread, 100, 30);
    set(steps, 100, 30);
    set(step, 99, 0);
    set(rows, 99, 0);
    set(row, 98, 0);
    const auto shown = [&](const std::vector<std::uint32_t>& nodes) {
        std::vector<Weighed> claims;
        for (const std::uint32_t node : nodes) {
            claims.push_back(claim(node, node == row ? 0.50 : 0.49, "load-imbalance"));
            claims.back().rule = &kLoadImbalance;
        }
        const std::vector<Finding> findings = join_stories(made.evidence, claims);
        EXPECT_EQ(findings.size(), 1U);
        return findings.at(0).node;
    };
    EXPECT_EQ(shown({thread, steps, step, rows, row}), NodeIndex(rows));
    EXPECT_EQ(shown({thread, row}), NodeIndex(thread));
    EXPECT_EQ(shown({row}), NodeIndex(row));
}

// The loop over the parts is in the region's function itself.
TEST(Stories, UnevenPartsOfAParallelRegionAreShownAtIt) {
    MadeEvidence made;
    const std::uint32_t region = made.add_node("relax(bool) [clone ._omp_fn.0]");
    const std::uint32_t row = made.add_node("relax_row", region);
    made.finish();
    NodeIndex(region).in(made.evidence.nodes).total = {.user = 100};
    std::vector<Weighed> claims = {claim(region, 0.49, "load-imbalance"), claim(row, 0.49, "load-imbalance")};
    for (Weighed& each : claims) {
        each.rule = &kLoadImbalance;
    }
    const std::vector<Finding> findings = join_stories(made.evidence, claims);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].node, NodeIndex(region));
}

TEST(Stories, FromTheRoundsOfALoopToWhatIsInsideIt) {
    MadeEvidence made;
    const std::uint32_t loop = made.add_node("solve", kNone, spacetime::SpaceKind::kLoop);
    const std::uint32_t rounds = made.add_node("solve", loop, spacetime::SpaceKind::kIteration);
    const std::uint32_t inner = made.add_node("assemble", loop);
    made.finish();
    const std::vector<Finding> findings = join_stories(made.evidence, {claim(rounds, 0.50), claim(inner, 0.45)});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].node, NodeIndex(inner));
}

// Slow instances of `start` are not told as the uneven work of `main` around it, where that lies in `compute` and is
// told there.
TEST(Stories, WhatAnotherStoryTellsInsideDoesNotStandForThisOne) {
    MadeEvidence made;
    const std::uint32_t main = made.add_node("main");
    const std::uint32_t start = made.add_node("start", main);
    const std::uint32_t compute = made.add_node("compute", main);
    made.finish();
    Weighed generic = claim(start, 0.60, "slow-instance");
    generic.rule = &kSlowInstance;
    ASSERT_TRUE(generic.rule->is_generic);
    const std::vector<Finding> findings = join_stories(
        made.evidence, {generic, claim(main, 0.40, "load-imbalance"), claim(compute, 0.38, "load-imbalance")});
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].node, NodeIndex(start));
    EXPECT_EQ(findings[1].node, NodeIndex(compute));
}

// `relax` is inlined into `advance` and `smooth`: what can be changed is `advance`, whichever has a little more at
// stake.
TEST(Stories, AToolDoesNotStandForWhatUsesIt) {
    MadeEvidence made;
    const std::uint32_t advance = made.add_node("advance");
    const std::uint32_t tool = made.add_node("relax", advance, spacetime::SpaceKind::kInlined);
    const std::uint32_t smooth = made.add_node("smooth");
    made.add_node("relax", smooth, spacetime::SpaceKind::kInlined);
    made.finish();
    for (const double of_tool : {0.49, 0.51}) {
        const std::vector<Finding> findings = join_stories(
            made.evidence, {claim(advance, 0.50, "slow-instance"), claim(tool, of_tool, "slow-instance")});
        ASSERT_EQ(findings.size(), 1U);
        EXPECT_EQ(findings[0].node, NodeIndex(advance));
    }
}

// The rounds are slow where they pause, and one of them because of `advance`: the pause is shown, and `advance` too.
TEST(Stories, WhatLiesElsewhereInTheOuterPlaceIsToldForItself) {
    MadeEvidence made;
    const std::uint32_t loop = made.add_node("run", kNone, spacetime::SpaceKind::kLoop);
    const std::uint32_t rounds = made.add_node("run", loop, spacetime::SpaceKind::kIteration);
    const std::uint32_t pause = made.add_node("checkpoint", loop);
    const std::uint32_t advance = made.add_node("advance", loop);
    made.finish();
    const std::vector<Finding> findings =
        join_stories(made.evidence, {claim(rounds, 0.50), claim(pause, 0.45), claim(advance, 0.05, "slow-instance")});
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].node, NodeIndex(pause));
    EXPECT_TRUE(findings[0].also.empty());
    EXPECT_EQ(findings[1].node, NodeIndex(advance));
}

}  // namespace
}  // namespace kymo::findings
