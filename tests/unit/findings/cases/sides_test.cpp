// Answers computed by hand of what cases are made from.
#include "findings/cases/sides.h"

#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

// Occurrences of a node with samples 1 ms apart; what lies between them takes `gap_us` as a rule.
struct Short {
    Short(std::uint64_t median_samples, std::uint64_t gap_us) {
        node = made.add_node("f");
        made.add_occurrence(node, {.terms = {.user = 100 * kMs}});
        made.evidence.nodes[node].folded = true;
        made.evidence.nodes[node].median_samples = median_samples;
        spacetime::SpaceIntervals intervals;
        intervals.node = node;
        intervals.median_gap_ns = gap_us * 1'000;
        made.evidence.intervals.push_back(intervals);
    }
    MadeEvidence made;
    std::uint32_t node = 0;
};

// Seen apart: two samples and more in an occurrence, and a period and a half between two.
TEST(MayMerge, IsSaidOfShortOccurrencesWithShortTimeBetween) {
    EXPECT_FALSE(may_merge(Short(2, 1'500).made.evidence, NodeIndex(0)));
    EXPECT_TRUE(may_merge(Short(2, 1'499).made.evidence, NodeIndex(0)));
    EXPECT_TRUE(may_merge(Short(1, 5'000).made.evidence, NodeIndex(0)));
    Short unknown(4, 5'000);
    EXPECT_FALSE(may_merge(unknown.made.evidence, NodeIndex(0)));
    unknown.made.evidence.intervals.clear();  // nothing is known of what lies between
    EXPECT_TRUE(may_merge(unknown.made.evidence, NodeIndex(0)));
    Short whole(1, 0);
    whole.made.evidence.nodes[0].folded = false;  // long enough to be compared one by one
    EXPECT_FALSE(may_merge(whole.made.evidence, NodeIndex(0)));
}

// Occurrences of 20 ms, samples 1 ms apart. What lies between them has a single sample now and then, or is known
// exactly.
TEST(MayMerge, IsSaidWhereMoreThanOneGapInTwentyHasASingleSample) {
    const auto of = [](std::size_t single, std::int64_t single_us, std::size_t bridged = 0) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("f");
        std::uint64_t time = 0;
        for (std::size_t i = 0; i <= 100; ++i) {
            made.add_occurrence(node, {.begin = time, .terms = {.user = 20 * kMs}});
            made.evidence.nodes[node].rows.bridged.back() = i < bridged ? 1 : 0;
            time += 20'000'000 + (i < single ? static_cast<std::uint64_t>(single_us) * 1'000 : 5'000'000);
        }
        return may_merge(made.evidence, NodeIndex(node));
    };
    EXPECT_FALSE(of(0, 0));
    EXPECT_FALSE(of(5, 1'000));
    EXPECT_TRUE(of(6, 1'000));
    EXPECT_FALSE(of(100, 1'600));  // two samples
    EXPECT_FALSE(of(100, 100));    // no sample: a wait, known exactly
    EXPECT_FALSE(of(0, 0, 5));
    EXPECT_TRUE(of(0, 0, 6));
}

// Occurrences of 20 ms, samples 1 ms apart, and a wait of `wait_ms` between, beside which the thread works for
// `beside_us`: a thread may come to a wait and need not wait.
TEST(MayMerge, IsSaidWhereOnlyWaitsThatMayBeSparedAreSeen) {
    const auto of = [](recording::WaitKind kind, std::int64_t wait_ms, std::int64_t beside_us) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("f");
        const std::uint32_t target = made.add_wait_target(kind, "take");
        const spacetime::TimeTerms gap{.user = beside_us * 1'000, .waiting = wait_ms * kMs};
        std::uint64_t time = 0;
        for (int i = 0; i < 50; ++i) {
            made.add_occurrence(node, {.begin = time, .terms = {.user = 20 * kMs}, .gap = gap});
            time += static_cast<std::uint64_t>(20 * kMs + gap.wall());
        }
        made.evidence.nodes[node].samples = 1'000;
        spacetime::SpaceIntervals intervals;
        intervals.node = node;
        intervals.gap_terms = gap;
        intervals.longest.emplace_back();
        intervals.longest.back().waits = {{target, gap.waiting}};
        made.evidence.intervals.push_back(intervals);
        made.finish();
        return may_merge(made.evidence, NodeIndex(node));
    };
    EXPECT_TRUE(of(recording::WaitKind::kCondition, 10, 100));
    EXPECT_FALSE(of(recording::WaitKind::kCondition, 10, 2'000));  // seen without the wait, too
    EXPECT_FALSE(of(recording::WaitKind::kCondition, 80, 100));    // hardly ever spared
    EXPECT_FALSE(of(recording::WaitKind::kSleep, 10, 100));        // never
}

// Likewise of rounds whose one part that is in each of them is a wait.
TEST(MayMerge, IsSaidOfRoundsThatOnlyAWaitParts) {
    const auto of = [](recording::WaitKind kind) {
        MadeEvidence made;
        const std::uint32_t loop = made.add_node("run", kNone, spacetime::SpaceKind::kLoop);
        const std::uint32_t round = made.add_node("run", loop, spacetime::SpaceKind::kIteration);
        const std::uint32_t take = made.add_node("take", loop);
        const std::uint32_t target = made.add_wait_target(kind, "take");
        for (std::uint64_t i = 0; i < 20; ++i) {
            made.add_occurrence(round, {.begin = 20'000'000 * i, .terms = {.user = 20 * kMs}});
            made.add_occurrence(
                take, {.begin = 20'000'000 * i, .terms = {.waiting = 5 * kMs}, .waits = {{target, 5 * kMs}}});
        }
        made.finish();
        made.evidence.nodes[take].median_samples = 0;
        return may_merge(made.evidence, NodeIndex(round));
    };
    EXPECT_TRUE(of(recording::WaitKind::kCondition));
    EXPECT_FALSE(of(recording::WaitKind::kSleep));
}

// Rounds of a call of 10 ms and another that is too short to be seen in each of them.
TEST(MayMerge, IsSaidOfRoundsInWhichNothingIsSeenEachTime) {
    const auto of = [](std::uint64_t median_samples, std::size_t occurrences) {
        MadeEvidence made;
        const std::uint32_t loop = made.add_node("run", kNone, spacetime::SpaceKind::kLoop);
        const std::uint32_t round = made.add_node("run", loop, spacetime::SpaceKind::kIteration);
        const std::uint32_t call = made.add_node("call", loop);
        for (std::uint64_t i = 0; i < 20; ++i) {
            made.add_occurrence(round, {.begin = 20'000'000 * i, .terms = {.user = 20 * kMs}});
            if (i < occurrences) {
                made.add_occurrence(call, {.begin = 20'000'000 * i, .terms = {.user = 10 * kMs}});
            }
        }
        made.evidence.nodes[call].median_samples = median_samples;
        return may_merge(made.evidence, NodeIndex(round));
    };
    EXPECT_FALSE(of(10, 20));
    EXPECT_TRUE(of(1, 20));
    EXPECT_FALSE(of(10, 18));
    EXPECT_TRUE(of(10, 17));  // not in each of them
}

TEST(RowAt, IsTheLastThatHasBegunInTheThread) {
    MadeEvidence made({}, 2);
    const std::uint32_t node = made.add_node("f");
    for (const std::uint32_t thread : {0U, 1U}) {
        for (const std::uint64_t begin : {100U, 200U}) {
            made.add_occurrence(node, {.thread = thread, .begin = begin, .terms = {.user = 10}});
        }
    }
    const spacetime::OccurrenceTable& rows = made.evidence.nodes[node].rows;
    EXPECT_EQ(row_at(rows, 0, 99), std::nullopt);
    EXPECT_EQ(row_at(rows, 0, 100), 0U);
    EXPECT_EQ(row_at(rows, 0, 5'000), 1U);
    EXPECT_EQ(row_at(rows, 1, 99), std::nullopt);  // not the other thread's
    EXPECT_EQ(row_at(rows, 1, 199), 2U);
    EXPECT_EQ(row_at(rows, 2, 5'000), std::nullopt);
}

}  // namespace
}  // namespace kymo::findings
