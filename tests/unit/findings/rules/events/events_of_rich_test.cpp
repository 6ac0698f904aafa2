#include "findings/statistics/random.h"
#include "made_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

using testing::HasSubstr;

// 160 occurrences of 10 to 16 ms, whatever else happens; those with `many` of the event take `longer` ms more. Slow
// and fast ones overlap: no gap lies between them.
MadeEvidence overlapping(const std::string& event, std::int64_t many, std::int64_t longer, bool most = false) {
    MadeEvidence made({event});
    const std::uint32_t node = made.add_node("assemble");
    Random random(7);
    std::uint64_t time = 0;
    for (int i = 0; i < 160; ++i) {
        const bool is_chosen = random.below(4) == 0;
        const bool is_rich = is_chosen != most;
        const std::int64_t user = 10 * kMs + static_cast<std::int64_t>(random.below(6 * kMs));
        const MadeOccurrence occurrence{.begin = time,
                                        .terms = {.user = user + (is_rich ? longer * kMs : 0)},
                                        .deltas = {(is_rich ? many : 100) + i % 5}};
        made.add_occurrence(node, occurrence);
        time += static_cast<std::uint64_t>(occurrence.terms.wall());
    }
    return made;
}

TEST(EventsOfRich, TellWhatDurationsAloneDoNotPart) {
    MadeEvidence made = overlapping("cache-misses", 50'000, 4);
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(find(judgement.findings, "slow-instance"), nullptr);
    const Finding* finding = find(judgement.findings, "more-events");
    ASSERT_NE(finding, nullptr);
    EXPECT_TRUE(finding->tested);
    EXPECT_THAT(finding->title, HasSubstr("have many more cache-misses (50,002 each against 102)"));
    EXPECT_THAT(finding->direction, HasSubstr("walk memory in order"));
    EXPECT_NEAR(finding->seconds, 40 * 0.004, 0.05);
}

TEST(EventsOfRich, OfTheUsersOwnSpeakToo) {
    MadeEvidence made = overlapping("retries", 5'000, 4);
    const Judgement judgement = judge(made.finish());
    const Finding* finding = find(judgement.findings, "more-events");
    ASSERT_NE(finding, nullptr);
    EXPECT_THAT(finding->direction, HasSubstr("kymo hunt -e retries"));
}

TEST(EventsOfRich, ThatTakeNoLongerCostNothing) {
    MadeEvidence made = overlapping("retries", 5'000, 0);
    EXPECT_EQ(find(judge(made.finish()).findings, "more-events"), nullptr);
}

TEST(EventsOfRich, ThatCannotCostThatMuchAreNotTheCause) {
    // 5,000 wrong guesses at 10 ns are 50 µs of 4 ms.
    MadeEvidence made = overlapping("branch-misses", 5'000, 4);
    EXPECT_EQ(find(judge(made.finish()).findings, "more-events"), nullptr);
}

TEST(EventsOfRich, WhereMostAreRichTheFewPoorOnesAreAnAdvantage) {
    MadeEvidence made = overlapping("cache-misses", 50'000, 4, true);
    const Judgement judgement = judge(made.finish());
    EXPECT_EQ(find(judgement.findings, "more-events"), nullptr);
    const Finding* good = find(judgement.advantages, "more-events");
    ASSERT_NE(good, nullptr);
    EXPECT_THAT(good->title, HasSubstr("have few cache-misses (102 each against 50,002)"));
}

}  // namespace
}  // namespace kymo::findings
