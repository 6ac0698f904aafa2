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

}  // namespace
}  // namespace kymo::findings
