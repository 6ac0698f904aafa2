#include "findings/rules/shared/common.h"
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

// mutate, and after some of its occurrences sweep: regularly or not.
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
        made.add_occurrence(
            mutate,
            {.begin = time, .terms = {.user = 10 * kMs}, .after = pauses ? collect : spacetime::kParentItself});
        time += 10 * kMs;
        if (pauses) {
            made.add_occurrence(collect,
                                {.begin = time, .terms = {.user = pause}, .before = mutate, .after = mutate});
            made.add_occurrence(sweep, {.begin = time, .terms = {.user = pause}});
        }
        time += static_cast<std::uint64_t>(pause);
    }
    made.add_occurrence(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    return made;
}

TEST(PeriodicPause, NamesWhatPausesAndHowOften) {
    MadeEvidence made = sweeping(true);
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "periodic-pause");
    EXPECT_EQ(finding.place.function, "sweep");
    EXPECT_NEAR(finding.seconds, 10 * 0.059, 0.06);  // the last one has no occurrence after it
    EXPECT_THAT(finding.title, testing::HasSubstr("Every 10 occurrences of `mutate`"));
    EXPECT_LE(judgement.control.findings, 1);
}

// What is measured tells the pauses, too: of 1,000 faults in each, and none in the other gaps.
TEST(PeriodicPause, IsToldByItsEvents) {
    MadeEvidence made({"page-faults"});
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t mutate = made.add_node("mutate", parent);
    const std::uint32_t collect = made.add_node("collect", parent);
    std::uint64_t time = 0;
    bool was_long = false;
    for (int i = 0; i < 100; ++i) {
        made.add_occurrence(mutate,
                            {.begin = time, .terms = {.user = 10 * kMs}, .gap_deltas = {was_long ? 1000 + i : 0}});
        time += 10 * kMs;
        was_long = i % 10 == 9;
        const std::int64_t gap = (was_long ? 60 : 1) * kMs;
        if (was_long) {
            made.add_occurrence(collect, {.begin = time, .terms = {.user = gap}, .before = mutate, .after = mutate});
        }
        time += static_cast<std::uint64_t>(gap);
    }
    made.add_occurrence(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    const Judgement judgement = judge(made.finish());
    const Finding* finding = find(judgement.findings, "periodic-pause");
    ASSERT_NE(finding, nullptr);
    const auto row = std::find_if(finding->evidence.begin(), finding->evidence.end(),
                                  [](const EvidenceRow& evidence) { return evidence.event == "page-faults"; });
    ASSERT_NE(row, finding->evidence.end());
    EXPECT_NEAR(row->bad, 1050, 10);
    EXPECT_EQ(row->good, 0);
    EXPECT_LE(row->q, 0.05);
}

TEST(PeriodicPause, IsRegular) {
    MadeEvidence made = sweeping(false);
    EXPECT_EQ(find(judge(made.finish()).findings, "periodic-pause"), nullptr);
}

// `mutate` and something long take turns: every other gap is long, and nothing pauses.
TEST(PeriodicPause, IsNotTakingTurns) {
    MadeEvidence made;
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t mutate = made.add_node("mutate", parent);
    const std::uint32_t sort = made.add_node("sort", parent);
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        made.add_occurrence(mutate, {.begin = time, .terms = {.user = (i % 2 != 0 ? 4 : 10) * kMs}});
        time += static_cast<std::uint64_t>((i % 2 != 0 ? 4 : 10) * kMs);
        const std::int64_t between = (i % 2 != 0 ? 3 : 25) * kMs;
        made.add_occurrence(sort, {.begin = time, .terms = {.user = between}});
        time += static_cast<std::uint64_t>(between);
    }
    made.add_occurrence(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    EXPECT_EQ(find(judge(made.finish()).findings, "periodic-pause"), nullptr);
}

// What begins every gap is not what makes some of them long; and a processor that others have is no pause.
TEST(PeriodicPause, IsWhatLongGapsHaveBeyondTheOthers) {
    MadeEvidence made;
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t advance = made.add_node("advance", parent);
    const std::uint32_t smooth = made.add_node("smooth", parent);
    const std::uint32_t checkpoint = made.add_node("checkpoint", parent);
    std::uint64_t time = 0;
    std::int64_t lacking = 0;
    const auto add = [&](std::uint32_t node, const spacetime::TimeTerms& terms) {
        made.add_occurrence(node, {.begin = time, .terms = terms, .ready_before = lacking});
        time += static_cast<std::uint64_t>(terms.wall());
        lacking += terms.run_queue;
    };
    for (int i = 0; i < 100; ++i) {
        add(advance, {.user = 10 * kMs});
        add(smooth, {.user = 8 * kMs, .run_queue = i % 7 == 3 ? 45 * kMs : 0});
        if (i % 10 == 9) {
            add(checkpoint, {.waiting = 40 * kMs});
        }
    }
    made.add_occurrence(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    const Judgement judgement = judge(made.finish());
    const Finding* finding = find(judgement.findings, "periodic-pause");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->place.function, "checkpoint");
    EXPECT_NEAR(finding->seconds, 9 * 0.040, 0.01);
    EXPECT_EQ(finding->when.size(), 9U);
}

// Where what is around it was left, the gap is none of its own.
TEST(PeriodicPause, IsToldWhereItLies) {
    MadeEvidence made;
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t measure = made.add_node("measure", parent);
    const std::uint32_t select = made.add_node("select", measure);
    const std::uint32_t smooth = made.add_node("smooth", parent);
    const std::uint32_t checkpoint = made.add_node("checkpoint", parent);
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        made.add_occurrence(measure, {.begin = time, .terms = {.user = 12 * kMs}});
        made.add_occurrence(select, {.begin = time + 1 * kMs, .terms = {.user = 10 * kMs}});
        time += 12 * kMs;
        made.add_occurrence(smooth, {.begin = time, .terms = {.user = 3 * kMs}});
        time += 3 * kMs;
        if (i % 10 == 9) {
            made.add_occurrence(checkpoint, {.begin = time, .terms = {.waiting = 40 * kMs}});
            time += 40 * kMs;
        }
    }
    made.add_occurrence(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_EQ(judgement.findings[0].kind, "periodic-pause");
    EXPECT_EQ(judgement.findings[0].place.function, "checkpoint");
    EXPECT_THAT(judgement.findings[0].title, testing::HasSubstr("of `measure`"));
}

TEST(PeriodicPause, MayLieInsideTheOccurrence) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("step");
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        const std::int64_t waiting = i % 12 == 5 ? 50 * kMs : 0;
        made.add_occurrence(node, {.begin = time, .terms = {.user = 10 * kMs, .waiting = waiting}});
        time += static_cast<std::uint64_t>(10 * kMs + waiting);
    }
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "periodic-pause");
    EXPECT_THAT(judgement.findings[0].title, testing::HasSubstr("Every 12 occurrences"));
}

}  // namespace
}  // namespace kymo::findings
