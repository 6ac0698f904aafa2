// Answers computed by hand of what cases are made from.
#include "findings/cases/sides.h"

#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

// Visits of a node with samples 1 ms apart; what lies between them takes `gap_us` as a rule.
struct Short {
    Short(std::uint64_t median_samples, std::uint64_t gap_us) {
        node = made.add_node("f");
        made.add_visit(node, {.terms = {.user = 100 * kMs}});
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

// Seen apart: two samples and more in a visit, and a period and a half between two.
TEST(MayMerge, IsSaidOfShortVisitsWithShortTimeBetween) {
    EXPECT_FALSE(may_merge(Short(2, 1'500).made.evidence, 0));
    EXPECT_TRUE(may_merge(Short(2, 1'499).made.evidence, 0));
    EXPECT_TRUE(may_merge(Short(1, 5'000).made.evidence, 0));
    Short unknown(4, 5'000);
    EXPECT_FALSE(may_merge(unknown.made.evidence, 0));
    unknown.made.evidence.intervals.clear();  // nothing is known of what lies between
    EXPECT_TRUE(may_merge(unknown.made.evidence, 0));
    Short whole(1, 0);
    whole.made.evidence.nodes[0].folded = false;  // long enough to be compared one by one
    EXPECT_FALSE(may_merge(whole.made.evidence, 0));
}

TEST(RowAt, IsTheLastThatHasBegunInTheThread) {
    MadeEvidence made({}, 2);
    const std::uint32_t node = made.add_node("f");
    for (const std::uint32_t thread : {0U, 1U}) {
        for (const std::uint64_t begin : {100U, 200U}) {
            made.add_visit(node, {.thread = thread, .begin = begin, .terms = {.user = 10}});
        }
    }
    const spacetime::VisitTable& rows = made.evidence.nodes[node].rows;
    EXPECT_EQ(row_at(rows, 0, 99), std::nullopt);
    EXPECT_EQ(row_at(rows, 0, 100), 0U);
    EXPECT_EQ(row_at(rows, 0, 5'000), 1U);
    EXPECT_EQ(row_at(rows, 1, 99), std::nullopt);  // not the other thread's
    EXPECT_EQ(row_at(rows, 1, 199), 2U);
    EXPECT_EQ(row_at(rows, 2, 5'000), std::nullopt);
}

// Three of sixty visits wait 200 ms more: 600 ms. Idle processors could take in a fifth of it (120 ms), or not.
TEST(SlowInstance, IsNoneWhereAThreadWaitsForOthersThatWork) {
    const auto is_told = [](std::int64_t idle_ms) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("hand_out");
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const std::int64_t waiting = i == 7 || i == 31 || i == 40 ? 200 * kMs : 0;
            made.add_visit(node, {.begin = time, .terms = {.user = 10 * kMs, .waiting = waiting}});
            time += static_cast<std::uint64_t>(10 * kMs + waiting);
        }
        made.evidence.run.ready_ns = {0, idle_ms * kMs, 500 * kMs};  // one of two processors idle
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_FALSE(is_told(239));  // spare: half of it, 119.5 ms
    EXPECT_TRUE(is_told(241));
}

// Three of sixty visits of 5 ms with 2 ms between take longer. With one sample bridged they may be two visits and the
// time between them: 12 ms, and with the fifth that counts as slower, 14.4.
TEST(SlowInstance, IsNoneWhereTwoVisitsLookLikeOne) {
    const auto is_told = [](std::int64_t slow_us, std::size_t bridged_rows) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("compute");
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const bool is_slow = i == 7 || i == 31 || i == 40;
            const std::int64_t user = is_slow ? slow_us * 1'000 : 5 * kMs;
            made.add_visit(node, {.begin = time, .terms = {.user = user}});
            made.evidence.nodes[node].rows.bridged.back() = is_slow && bridged_rows > 0 ? 1 : 0;
            bridged_rows -= is_slow && bridged_rows > 0 ? 1 : 0;
            time += static_cast<std::uint64_t>(user + 2 * kMs);
        }
        spacetime::SpaceIntervals intervals;
        intervals.node = node;
        intervals.median_gap_ns = 2 * kMs;
        made.evidence.intervals.push_back(intervals);
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_TRUE(is_told(12'000, 0));
    EXPECT_TRUE(is_told(12'000, 1));  // two of the three are slow all the same
    EXPECT_FALSE(is_told(12'000, 2));
    EXPECT_FALSE(is_told(14'300, 3));
    EXPECT_TRUE(is_told(14'500, 3));  // longer than two
}

}  // namespace
}  // namespace kymo::findings
