// Findings with exact occurrences beside them, and without.
#include "findings/exact.h"

#include "findings/words.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

class Exact : public ::testing::Test {
  protected:
    Exact() {
        spacetime::SpaceNode function;
        function.place.function = "advance(int)";
        function.place.build_id = "id";
        function.place.ranges = {{100, 200}};
        evidence_.nodes.push_back(function);
        spacetime::SpaceNode loop = function;
        loop.kind = spacetime::SpaceKind::kLoop;
        loop.parent = NodeIndex{0};
        evidence_.nodes.push_back(loop);
    }
    Finding prefer(Finding finding, const spacetime::ExactCalls& exact = {}) {
        Judgement judgement;
        judgement.findings.push_back(std::move(finding));
        prefer_exact(evidence_, exact, "my.kymo", &judgement);
        return judgement.findings.front();
    }
    static Finding compared(std::uint32_t node, bool tested) {
        Finding finding;
        finding.node = NodeIndex{node};
        finding.is_compared = true;
        finding.tested = tested;
        finding.confirm = "look";
        return finding;
    }

    spacetime::Evidence evidence_;
};

TEST_F(Exact, AnUntestedComparisonNamesTheCommand) {
    const std::string expected =
        "look; every call of `advance`, counted and timed: `kymo record --for my.kymo --exact`";
    EXPECT_EQ(prefer(compared(0, false)).confirm, expected);
    EXPECT_EQ(prefer(compared(1, false)).confirm, expected);
}

TEST_F(Exact, AFoldedPieceToo) {
    EXPECT_EQ(prefer(compared(0, true)).confirm, "look");
    evidence_.nodes[0].folded = true;
    EXPECT_NE(prefer(compared(0, true)).confirm.find("--exact"), std::string::npos);
}

TEST_F(Exact, ASumNeedsNone) {
    Finding sum = compared(0, false);
    sum.is_compared = false;
    EXPECT_EQ(prefer(sum).confirm, "look");
    Finding nowhere = compared(0, false);
    nowhere.node = {};
    EXPECT_EQ(prefer(nowhere).confirm, "look");
}

TEST_F(Exact, WithEveryCallItSaysHowLongTheyAre) {
    spacetime::ExactFunction function;
    function.build_id = "id";
    function.offset = 100;
    for (const std::uint64_t duration : {3'000'000U, 2'000'000U, 1'000'000U}) {
        ++function.calls;
        ++function.counts[duration_bucket(duration)];
        spacetime::SlowOccurrence slow;
        slow.duration = duration;
        function.slowest.push_back(slow);
    }
    spacetime::ExactCalls exact;
    exact.functions.push_back(function);
    const Finding finding = prefer(compared(0, false), exact);
    EXPECT_EQ(finding.confirm, "look");
    ASSERT_EQ(finding.evidence.size(), 2U);
    EXPECT_EQ(words_of(finding.evidence[0]), "seconds of the longest of exactly 3 calls, against the median:");
    EXPECT_DOUBLE_EQ(finding.evidence[0].bad, 0.003);
    EXPECT_DOUBLE_EQ(finding.evidence[0].good, 0.002);
    EXPECT_DOUBLE_EQ(finding.evidence[0].ratio, 1.5);
}

}  // namespace
}  // namespace kymo::findings
