// Intervals: when code occurs and the gaps between, what was counted in them, and what the longest have more of.
#include "stored_program.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::collections {
namespace {

using spacetime::SpaceIntervals;

std::vector<std::uint64_t> lengths_of(const SpaceIntervals& intervals) {
    std::vector<std::uint64_t> lengths;
    for (const spacetime::LongGap& gap : intervals.longest) {
        lengths.push_back((gap.end - gap.begin) / kMs);
    }
    return lengths;
}

// `work`, 10 ms each, and `other` between: in the first thread at 0, 14, 30, 44, 74; in the second at 0 and 25. So
// gaps of 4, 6, 4, 20 and 15 ms, and none from thread to thread.
TEST(Gaps, KeptAreTheTimesAndTheGapsBetween) {
    StoredProgram program({straight("main", 16), straight("work", 32), straight("other", 32)});
    for (const std::uint64_t gap : {4, 6, 4, 20, 0}) {
        program.run(1, 10);
        program.run(2, gap);
    }
    program.on_thread(1);
    program.run(1, 10);
    program.run(2, 15);
    program.run(1, 10);
    const spacetime::Evidence evidence = program.evidence();

    const std::uint32_t work = node_of(evidence, "work");
    const spacetime::OccurrenceTable& rows = evidence.nodes[work].rows;
    EXPECT_EQ(rows.thread, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1, 1}));
    EXPECT_EQ(rows.begin, (std::vector<std::uint64_t>{0, 14 * kMs, 30 * kMs, 44 * kMs, 74 * kMs, 0, 25 * kMs}));
    EXPECT_EQ(rows.end,
              (std::vector<std::uint64_t>{10 * kMs, 24 * kMs, 40 * kMs, 54 * kMs, 84 * kMs, 10 * kMs, 35 * kMs}));
    const SpaceIntervals& of_node = intervals_of(evidence, work);
    EXPECT_EQ(of_node.gaps.count, 5U);
    EXPECT_EQ(of_node.gaps.total, 49 * kMs);
    EXPECT_EQ(of_node.gaps.shortest, 4 * kMs);
    EXPECT_EQ(of_node.median_gap_ns, 6'291'456U);  // 6 ms: the middle of 2²² … 2²³ ns
    EXPECT_EQ(lengths_of(of_node), (std::vector<std::uint64_t>{20, 15, 6, 4, 4}));
    EXPECT_EQ(of_node.longest[0].begin, 54 * kMs);
    EXPECT_EQ(of_node.longest[1].thread, 1U);
    EXPECT_EQ(of_node.longest[1].begin, 10 * kMs);

    // Of the code as a space: from one of its pairs to the next, a sample later.
    const std::uint32_t group = group_of(evidence, {address(1, kMiddle), address(1, kMiddle + 1)});
    const SpaceIntervals& of_space = evidence.same_spaces[group].gaps;
    EXPECT_EQ(lengths_of(of_space), (std::vector<std::uint64_t>{21, 16, 7, 5, 5}));
    EXPECT_EQ(of_space.gaps.total, (49 + 5) * kMs);
    EXPECT_EQ(evidence.spaces[evidence.same_spaces[group].members[0]].longest_gap_ns, 21 * kMs);
}

// Twelve rounds, a packet each in `other`: `work` 10 ms with 10 misses each, `other` 5 ms with 3 each, and behind
// round 7 `extra`, 20 ms with 50 each. The eleven gaps: 11 · 15 + 1,000 misses in 11 · 5 + 20 ms; what follows the
// last occurrence is none.
TEST(Gaps, HaveTheirEventsAndWhatFilledThem) {
    StoredProgram program({straight("main", 16), straight("work", 32), straight("other", 32), straight("extra", 32)});
    for (int round = 0; round < 12; ++round) {
        program.run(1, 10, 10);
        program.sample(2, kMiddle, 3, 1);
        program.run(2, 4, 3);
        program.run(3, round == 7 ? 20 : 0, 50);
    }
    const spacetime::Evidence evidence = program.evidence();
    const std::uint32_t work = node_of(evidence, "work");
    const SpaceIntervals& intervals = intervals_of(evidence, work);
    EXPECT_EQ(intervals.gaps.count, 11U);
    EXPECT_EQ(intervals.gap_terms.user, ms(75));
    EXPECT_EQ(intervals.gap_deltas, (std::vector<std::int64_t>{ms(75), 1165, 11}));
    ASSERT_FALSE(intervals.longest.empty());
    const spacetime::LongGap& longest = intervals.longest[0];
    EXPECT_EQ(longest.begin, (7 * 15 + 10) * kMs);
    EXPECT_EQ(longest.end, (7 * 15 + 35) * kMs);
    EXPECT_EQ(longest.terms.user, ms(25));
    EXPECT_EQ(longest.deltas, (std::vector<std::int64_t>{ms(25), 1015, 1}));
    ASSERT_EQ(longest.filled.size(), 2U);
    EXPECT_EQ(longest.filled[0].node, node_of(evidence, "extra"));
    EXPECT_EQ(longest.filled[0].ns, ms(20));
    EXPECT_EQ(longest.filled[1].node, node_of(evidence, "other"));
    EXPECT_EQ(longest.filled[1].ns, ms(5));
    for (std::size_t row = 1; row < 12; ++row) {
        EXPECT_EQ(evidence.nodes[work].rows.gap_deltas_of(row)[kMisses], row == 8 ? 1015 : 15) << row;
        EXPECT_EQ(evidence.nodes[work].rows.gap_terms[row].user, ms(row == 8 ? 25 : 5)) << row;
    }
}

// 100 rounds of `work` (10 ms) and `tail` (4 ms, 1,000 misses each); behind seven of them, irregularly, `collect` (40
// ms, 8,900 each). Gaps of 44 ms with 4,000 + 356,000 misses against 4 ms with 4,000; 7 · 40 ms of excess in a run of
// 1,680. So many misses more could cost 7 · 356,000 · 120 ns = 299 ms: all of it.
TEST(Gaps, DefectIsAnEventOfTheLongestGaps) {
    StoredProgram program(
        {straight("main", 16), straight("work", 32), straight("tail", 32), straight("collect", 32)});
    for (int round = 0; round < 100; ++round) {
        program.run(1, 10);
        program.run(2, 4, 1000);
        const int pauses[] = {5, 9, 22, 31, 48, 70, 83};
        program.run(3, std::find(std::begin(pauses), std::end(pauses), round) != std::end(pauses) ? 40 : 0, 8900);
    }
    const findings::Judgement judgement = findings::judge(program.evidence());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_TRUE(judgement.advantages.empty());
    const findings::Finding& finding = judgement.findings[0];
    expect_told(finding,
                "7 of the 99 gaps between occurrences of `work` last 11× longer than the rest (44 ms against 4.0 "
                "ms), mostly in `collect`; they carry 90× more LLC-load-misses (360,000 each). The data this "
                "code touches is not in the cache.",
                {"collect", 0.28, 0.166667, 0.166667});
    ASSERT_EQ(finding.when.size(), 7U);
    EXPECT_EQ(finding.when[1].begin, (9 * 14 + 40 + 10) * kMs);  // behind one that was long
    EXPECT_EQ(finding.when[1].end, (9 * 14 + 40 + 54) * kMs);
}

}  // namespace
}  // namespace kymo::collections
