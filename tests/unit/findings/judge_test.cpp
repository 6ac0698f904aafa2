// The engine on evidence made by hand: what is shown, how much is at stake, what is not shown.
#include "findings/judge.h"

#include "findings/statistics/random.h"
#include "made_evidence.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

constexpr std::size_t kSlow[] = {23, 37, 41, 70, 96, 113};

// 120 occurrences of about 10 ms (± 5 %), the first `slow` of kSlow 90 ms.
MadeEvidence steady(std::size_t slow) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("assemble");
    Random random(7);
    std::uint64_t time = 0;
    for (std::size_t i = 0; i < 120; ++i) {
        MadeOccurrence occurrence;
        occurrence.begin = time;
        occurrence.terms.user = 10 * kMs + static_cast<std::int64_t>(random.below(kMs)) - kMs / 2;
        occurrence.terms.user += std::find(kSlow, kSlow + slow, i) != kSlow + slow ? 80 * kMs : 0;
        made.add_occurrence(node, occurrence);
        time += static_cast<std::uint64_t>(occurrence.terms.wall());
    }
    return made;
}

TEST(Judge, TellsWhichOccurrencesAreSlowAndWhatTheyAccountFor) {
    MadeEvidence made = steady(6);
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "slow-instance");
    EXPECT_EQ(finding.place.function, "assemble");
    EXPECT_NEAR(finding.seconds, 0.480, 0.005);  // six of 80 ms too much
    EXPECT_NEAR(finding.share, 0.48 / (1.2 + 0.48), 0.01);
    EXPECT_LE(finding.share_low, finding.share);
    EXPECT_EQ(finding.when.size(), 6U);
    EXPECT_THAT(finding.title,
                testing::StartsWith("6 of the 120 occurrences of `assemble` (program.c:10–15) take 9.0×"));
    EXPECT_THAT(finding.title, testing::HasSubstr("100 % of the excess is user time"));
    EXPECT_FALSE(finding.direction.empty());
    EXPECT_FALSE(finding.confirm.empty());
}

TEST(Judge, WithholdsWhatRestsOnCallPathsWhereManyAreIncomplete) {
    MadeEvidence made = steady(6);
    spacetime::Evidence evidence = made.finish();
    evidence.run.dropped_paths = 0.04;
    EXPECT_EQ(judge(evidence).findings.size(), 1U);
    evidence.run.dropped_paths = 0.06;
    EXPECT_TRUE(judge(evidence).findings.empty());
}

TEST(Judge, NothingStandsOutWhereNothingDoes) {
    MadeEvidence made = steady(0);
    const Judgement judgement = judge(made.finish());
    EXPECT_TRUE(judgement.findings.empty());
    EXPECT_EQ(judgement.control.findings, 0);
}

TEST(Judge, FewerThanThreeSlowOnesAreAccountedForAndNotTested) {
    MadeEvidence made = steady(2);
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_FALSE(judgement.findings[0].tested);
    EXPECT_NEAR(judgement.findings[0].seconds, 0.160, 0.003);
}

TEST(Judge, LessThanTheAskedShareIsNotShown) {
    MadeEvidence made = steady(2);
    EXPECT_TRUE(judge(made.finish(), {.least_share = 0.2}).findings.empty());
}

}  // namespace
}  // namespace kymo::findings
