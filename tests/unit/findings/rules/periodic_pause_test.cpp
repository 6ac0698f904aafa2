#include "findings/rules/common.h"
#include "made_evidence.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

TEST(RegularDistance, IsKeptByFourFifths) {
    EXPECT_EQ(regular_distance(std::vector<std::uint32_t>{9, 19, 29, 39, 49}), 10U);
    EXPECT_EQ(regular_distance(std::vector<std::uint32_t>{9, 19, 29, 39, 49, 79}), 10U);  // one left out
    EXPECT_EQ(regular_distance(std::vector<std::uint32_t>{9, 19, 29, 39}), 0U);           // too few
    EXPECT_EQ(regular_distance(std::vector<std::uint32_t>{0, 2, 4, 6, 8, 10}), 0U);       // taking turns
    EXPECT_EQ(regular_distance(std::vector<std::uint32_t>{3, 4, 19, 40, 41, 70, 99}), 0U);
}

// mutate, and after some of its visits sweep: regularly or not.
MadeEvidence sweeping(bool is_regular) {
    MadeEvidence made;
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t mutate = made.add_node("mutate", parent);
    const std::uint32_t collect = made.add_node("collect", parent);
    const std::uint32_t sweep = made.add_node("sweep", collect);
    constexpr int kIrregular[] = {3, 4, 19, 40, 41, 70, 99};
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        const bool pauses = is_regular ? i % 10 == 9 : std::find(kIrregular, kIrregular + 7, i) != kIrregular + 7;
        const std::int64_t pause = pauses ? 60 * kMs : 1 * kMs;
        made.add_visit(
            mutate,
            {.begin = time, .terms = {.user = 10 * kMs}, .after = pauses ? collect : spacetime::kParentItself});
        time += 10 * kMs;
        if (pauses) {
            made.add_visit(collect, {.begin = time, .terms = {.user = pause}, .before = mutate, .after = mutate});
            made.add_visit(sweep, {.begin = time, .terms = {.user = pause}});
        }
        time += static_cast<std::uint64_t>(pause);
    }
    made.add_visit(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    return made;
}

TEST(PeriodicPause, NamesWhatPausesAndHowOften) {
    MadeEvidence made = sweeping(true);
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "periodic-pause");
    EXPECT_EQ(finding.place.function, "sweep");
    EXPECT_NEAR(finding.seconds, 10 * 0.059, 0.06);  // the last one has no visit after it
    EXPECT_THAT(finding.title, testing::HasSubstr("Every 10 occurrences of `mutate`"));
    EXPECT_LE(judgement.control.findings, 1);
}

TEST(PeriodicPause, IsRegular) {
    MadeEvidence made = sweeping(false);
    EXPECT_EQ(find(judge(made.finish()).findings, "periodic-pause"), nullptr);
}

TEST(PeriodicPause, MayLieInsideTheOccurrence) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("step");
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        const std::int64_t waiting = i % 12 == 5 ? 50 * kMs : 0;
        made.add_visit(node, {.begin = time, .terms = {.user = 10 * kMs, .waiting = waiting}});
        time += static_cast<std::uint64_t>(10 * kMs + waiting);
    }
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "periodic-pause");
    EXPECT_THAT(judgement.findings[0].title, testing::HasSubstr("Every 12 occurrences"));
}

}  // namespace
}  // namespace kymo::findings
