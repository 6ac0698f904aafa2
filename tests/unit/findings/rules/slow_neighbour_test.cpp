#include "findings/statistics/random.h"
#include "made_evidence.h"
#include "neighbourhoods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

// S after A and after C in turns; after A it takes `factor` as long.
MadeEvidence turns(std::int64_t factor, double progress_factor = 1, std::int64_t short_ns = 10 * kMs,
                   std::int64_t noise_ns = kMs) {
    MadeEvidence made;
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t a = made.add_node("shuffle", parent);
    const std::uint32_t c = made.add_node("arrange", parent);
    const std::uint32_t s = made.add_node("select", parent);
    Random random(5);
    std::uint64_t time = 0;
    for (int i = 0; i < 60; ++i) {
        const bool after_a = i % 2 == 0;
        const std::uint32_t before = after_a ? a : c;
        made.add_occurrence(before, {.begin = time, .terms = {.user = 8 * kMs}, .before = s, .after = s});
        time += 8 * kMs;
        const std::int64_t user = (after_a ? factor : 1) * short_ns +
                                  static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(noise_ns)));
        made.add_occurrence(s, {.begin = time,
                                .terms = {.user = user},
                                .before = before,
                                .after = after_a ? c : a,
                                .progress = 1000 * (after_a ? progress_factor : 1)});
        time += static_cast<std::uint64_t>(user);
    }
    made.add_occurrence(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    return made;
}

TEST(SlowNeighbour, IsToldWithBothSides) {
    MadeEvidence made = turns(3);
    const Judgement judgement = judge(made.finish(), {.rounds = 200});
    ASSERT_FALSE(judgement.findings.empty());
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "slow-neighbour");
    EXPECT_EQ(finding.place.function, "select");
    EXPECT_TRUE(finding.tested);
    EXPECT_NEAR(finding.seconds, 30 * 0.02, 0.02);
    EXPECT_THAT(finding.title, testing::HasSubstr("longer after `shuffle`"));
    const Finding* good = find(judgement.advantages, "slow-neighbour");
    ASSERT_NE(good, nullptr);
    EXPECT_THAT(good->title, testing::HasSubstr("faster after `arrange`"));
    EXPECT_LT(judgement.control.findings, 0.6);  // 0.49 by 2,000 rounds
}

// The fast ones are shorter than two sampling periods; of slow ones that are long none is overlooked.
TEST(SlowNeighbour, MayMakeShortOccurrencesLong) {
    const auto is_told = [](std::int64_t factor) {
        MadeEvidence made = turns(factor, 1, kMs, kMs / 10);
        spacetime::SpaceIntervals& intervals = made.evidence.intervals.emplace_back();
        intervals.node = 3;
        intervals.median_gap_ns = 8 * kMs;
        made.evidence.nodes[0].samples = static_cast<std::uint64_t>(made.evidence.nodes[0].total.user / kMs);
        return find(judge(made.finish(), {.rounds = 200}).findings, "slow-neighbour") != nullptr;
    };
    EXPECT_TRUE(is_told(10));
    EXPECT_FALSE(is_told(5));
}

TEST(SlowNeighbour, IsNotThereWhereBothAreEquallyFast) {
    MadeEvidence made = turns(1);
    EXPECT_TRUE(judge(made.finish()).findings.empty());
}

MadeEvidence slow_beside(bool only_between) {
    return between_two(only_between, {}, {.terms = {.user = 10 * kMs}}, {.terms = {.user = 30 * kMs}});
}

TEST(SlowNeighbour, MayComeAfterwards) {
    MadeEvidence made = slow_beside(false);
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_EQ(judgement.findings[0].kind, "slow-neighbour");
    EXPECT_THAT(judgement.findings[0].title, testing::HasSubstr("longer before `store`"));
    EXPECT_THAT(judgement.findings[0].direction, testing::HasSubstr("what comes after was decided here"));
    EXPECT_TRUE(judgement.advantages.empty()) << "nothing leads to what comes after but the code itself";
}

TEST(SlowNeighbour, MayBeTwo) {
    MadeEvidence made = slow_beside(true);
    const auto& rows = made.evidence.nodes[5].rows;
    std::size_t between = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        between += rows.before[row] == 1 && rows.after[row] == 3 ? 1 : 0;
    }
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "slow-neighbour");
    EXPECT_THAT(finding.title,
                testing::AllOf(testing::HasSubstr("longer between `scatter`"), testing::HasSubstr("and `store`")));
    EXPECT_NEAR(finding.seconds, static_cast<double>(between) * 0.020, 0.05);
}

// Waits cut some occurrences in two. The rests are short, and follow the space itself: nothing is known of a
// neighbour.
TEST(SlowNeighbour, IsNotTheRestOfAnOccurrenceThatWasCut) {
    MadeEvidence made;
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t a = made.add_node("shuffle", parent);
    const std::uint32_t c = made.add_node("arrange", parent);
    const std::uint32_t s = made.add_node("select", parent);
    Random random(5);
    std::uint64_t time = 0;
    const auto occurrence = [&](std::uint32_t node, std::int64_t user, std::uint32_t before, std::uint32_t after) {
        user += static_cast<std::int64_t>(random.below(kMs));
        made.add_occurrence(node, {.begin = time, .terms = {.user = user}, .before = before, .after = after});
        time += static_cast<std::uint64_t>(user);
    };
    for (int i = 0; i < 80; ++i) {
        const std::uint32_t before = i % 10 == 0 ? c : a;
        const bool is_cut = i % 5 == 3;
        occurrence(before, 8 * kMs, s, s);
        occurrence(s, 30 * kMs, before, is_cut ? s : a);
        if (is_cut) {
            occurrence(s, 10 * kMs, s, a);
        }
    }
    made.add_occurrence(parent, {.terms = {.user = static_cast<std::int64_t>(time)}});
    const Judgement judgement = judge(made.finish(), {.rounds = 20});
    EXPECT_EQ(find(judgement.findings, "slow-neighbour"), nullptr);
    EXPECT_EQ(find(judgement.advantages, "slow-neighbour"), nullptr);
}

// Each thread has its own neighbour, and one of the threads is slow: that says nothing of the neighbours.
TEST(SlowNeighbour, IsNotTheSlowerThread) {
    MadeEvidence made({}, 2);
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t neighbours[] = {made.add_node("shuffle", parent), made.add_node("arrange", parent)};
    const std::uint32_t s = made.add_node("select", parent);
    Random random(5);
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        std::uint64_t time = 0;
        for (int i = 0; i < 40; ++i) {
            made.add_occurrence(
                neighbours[thread],
                {.thread = thread, .begin = time, .terms = {.user = 8 * kMs}, .before = s, .after = s});
            time += 8 * kMs;
            const std::int64_t user = (thread == 0 ? 30 : 10) * kMs + static_cast<std::int64_t>(random.below(kMs));
            made.add_occurrence(s, {.thread = thread,
                                    .begin = time,
                                    .terms = {.user = user},
                                    .before = neighbours[thread],
                                    .after = neighbours[thread]});
            time += static_cast<std::uint64_t>(user);
        }
        made.add_occurrence(parent, {.thread = thread, .terms = {.user = static_cast<std::int64_t>(time)}});
    }
    const Judgement judgement = judge(made.finish());
    EXPECT_EQ(find(judgement.findings, "slow-neighbour"), nullptr);
    EXPECT_EQ(find(judgement.advantages, "slow-neighbour"), nullptr);
}

TEST(SlowNeighbour, IsNotWhatHasMoreToDo) {
    MadeEvidence made = turns(3, 3);
    EXPECT_EQ(find(judge(made.finish()).findings, "slow-neighbour"), nullptr);
}

}  // namespace
}  // namespace kymo::findings
