// Same spaces: which are one, what was counted over each occurrence, and what tells slow occurrences from fast ones.
#include "stored_program.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::collections {
namespace {

using spacetime::SameSpaces;

// 100 rounds in `line` (48 instructions, no jump): 00 → 27, back, → 23, back, → 22, back; behind two pairs in `long`
// (128). Bytes, instructions × pairs of what is kept:
//
//     line 00 … 27   40 · 100 = 4,000    line 00 … 23   36 · 100 = 3,600    line 00 … 22   35 · 100 = 3,500
//     line 22 … 2f   14 · 99  = 1,386    line 23 … 2f   13 · 100 = 1,300    line 27 … 2f    9 · 100 =   900
//     line 00        1 · 300  =   300    (299 times back, and once from `long`)
//     long 00 … 50   81, once            long 00 … 4f   80, once
//
// and of what is not: long 4f … 7f and 50 … 7f, 49 + 48, and long 00, 1. All: 15,147 + 98 = 15,245.
TEST(SameSpaces, KeptAreThoseThatOverlapByNineTenths) {
    StoredProgram program({straight("main", 16), straight("line", 48), straight("long", 128)});
    for (const std::uint64_t offset : {0x00, 0x4f, 0x00, 0x50}) {
        program.sample(2, offset);
    }
    for (int round = 0; round < 100; ++round) {
        for (const std::uint64_t offset : {0x00, 0x27, 0x00, 0x23, 0x00, 0x22}) {
            program.sample(1, offset);
        }
    }
    const spacetime::Evidence evidence = program.evidence();
    const double weights[] = {0.262381, 0.236143, 0.229583, 0.090915, 0.085274,
                              0.059036, 0.019679, 0.005313, 0.005248};
    ASSERT_EQ(evidence.spaces.size(), std::size(weights));
    for (std::size_t i = 0; i < std::size(weights); ++i) {
        EXPECT_NEAR(evidence.spaces[i].weight, weights[i], 5e-7) << i;
    }
    struct Group {
        std::vector<std::uint32_t> members;
        double overlap;
        double weight;
        std::uint64_t pairs;
    };
    const Group groups[] = {
        {{0, 1}, 0.9, 0.498524, 200},                                        // 36 / 40 is nine tenths; 7,600
        {{2}, 1, 0.229583, 100},                                             // 35 / 36 is, but 35 / 40 is not
        {{3, 4}, 0.928571, 0.176189, 199},                                   // 13 / 14; 2,686
        {{5}, 1, 0.059036, 100},                                             // 9 / 13 is not
        {{6}, 1, 0.019679, 300},           {{7, 8}, 0.987654, 0.010561, 2},  // 80 / 81; 161: more than 1 % together
    };
    ASSERT_EQ(evidence.same_spaces.size(), std::size(groups));
    for (std::size_t i = 0; i < std::size(groups); ++i) {
        EXPECT_EQ(evidence.same_spaces[i].members, groups[i].members) << i;
        EXPECT_NEAR(evidence.same_spaces[i].overlap, groups[i].overlap, 5e-7) << i;
        EXPECT_NEAR(evidence.same_spaces[i].weight, groups[i].weight, 5e-7) << i;
        EXPECT_EQ(evidence.same_spaces[i].occurrences, groups[i].pairs) << i;
    }
}

// Twelve rounds of `load` (10 ms, 100 misses each; in round 7 30 ms, 1,000 each) and `rest` (10 ms, 2 packets each).
TEST(SameSpaces, HaveTheirEventsOverEachOccurrence) {
    StoredProgram program({straight("main", 16), straight("load", 32), straight("rest", 32)});
    for (int round = 0; round < 12; ++round) {
        program.run(1, round == 7 ? 30 : 10, round == 7 ? 1000 : 100);
        for (int i = 0; i < 10; ++i) {
            program.sample(2, kMiddle, 0, 2);
        }
    }
    const spacetime::Evidence evidence = program.evidence();
    // Of ten samples at one place nine pairs: 11 · 9 + 29 ms, 11 · 9 · 100 + 29 · 1,000 misses.
    const std::uint32_t group = group_of(evidence, {address(1, kMiddle), address(1, kMiddle + 1)});
    const SameSpaces& same = evidence.same_spaces[group];
    EXPECT_EQ(same.life.occurrences, 12U);
    EXPECT_FALSE(same.life.folded);
    EXPECT_EQ(same.life.total.user, ms(128));
    EXPECT_EQ(same.life.durations.shortest, 9 * kMs);
    EXPECT_EQ(same.life.durations.longest, 29 * kMs);
    EXPECT_EQ(same.life.deltas.at(kMisses), 38'900);
    EXPECT_EQ(same.life.deltas.at(kPackets), 0);
    EXPECT_FALSE(same.is_part);
    // One by one: a pair less than samples, from the second on of those before; between two, ten samples in `rest`
    // and the one that comes back.
    ASSERT_EQ(same.life.rows.size(), 12U);
    for (std::size_t row = 0; row < 12; ++row) {
        const std::uint64_t before = row * 20 + (row > 7 ? 20 : 0);
        EXPECT_EQ(same.life.rows.begin[row], (before + 1) * kMs) << row;
        EXPECT_EQ(same.life.rows.duration(row), (row == 7 ? 29 : 9) * kMs) << row;
        EXPECT_EQ(same.life.rows.deltas_of(row)[kMisses], row == 7 ? 29'000 : 900) << row;
        EXPECT_EQ(same.life.rows.gap_terms[row].user, row == 0 ? 0 : ms(11)) << row;
        EXPECT_EQ(same.life.rows.gap_deltas_of(row)[kMisses], row == 0 ? 0 : row == 7 ? 1000 : 100) << row;
        EXPECT_EQ(same.life.rows.gap_deltas_of(row)[kPackets], row == 0 ? 0 : 20) << row;
    }
    // Of the function that it lies in, one by one.
    const std::uint32_t node = node_of(evidence, "load");
    EXPECT_EQ(same.node, findings::NodeIndex(node));
    const spacetime::OccurrenceTable& rows = evidence.nodes[node].rows;
    ASSERT_EQ(rows.size(), 12U);
    for (std::size_t row = 0; row < 12; ++row) {
        EXPECT_EQ(rows.duration(row), (row == 7 ? 30 : 10) * kMs) << row;
        EXPECT_EQ(rows.deltas_of(row)[kMisses], row == 7 ? 30'000 : 1000) << row;
        EXPECT_EQ(rows.terms[row].user, ms(row == 7 ? 30 : 10)) << row;
    }
    EXPECT_EQ(evidence.nodes[node_of(evidence, "rest")].rows.deltas_of(7)[kPackets], 20);
}

// 100 rounds of `load` and `rest` (5 ms). `load` takes 10 ms with 1,000 misses each or 30 ms with 8,000 each: either
// in these rounds alone.
findings::Judgement judged_where(const std::vector<int>& rounds, bool are_slow) {
    StoredProgram program({straight("main", 16), straight("load", 32), straight("rest", 32)});
    for (int round = 0; round < 100; ++round) {
        const bool is_slow = (std::find(rounds.begin(), rounds.end(), round) != rounds.end()) == are_slow;
        program.run(1, is_slow ? 30 : 10, is_slow ? 8000 : 1000);
        program.run(2, 5);
    }
    return findings::judge(program.evidence());
}

// Five are slow: 240,000 misses against 10,000, and 5 · 20 ms of excess in a run of 95 · 15 + 5 · 35 = 1,600 ms. So
// many misses more could cost 5 · 230,000 · 120 ns = 138 ms: all of it.
TEST(SameSpaces, DefectIsAnEventOfTheSlowOccurrences) {
    const findings::Judgement judgement = judged_where({5, 22, 31, 48, 83}, true);
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_TRUE(judgement.advantages.empty());
    const findings::Finding& finding = judgement.findings[0];
    expect_told(finding,
                "5 of the 100 occurrences of `load` take 3.0× longer than the rest (30 ms against 10 ms) and "
                "account for 100 ms; they carry 24× more LLC-load-misses (240,000 each). The data this code "
                "touches is not in the cache.",
                {"load", 0.1, 0.0625, 0.0625});
    ASSERT_EQ(finding.when.size(), 5U);
    EXPECT_EQ(finding.when[1].begin, (22 * 15 + 20) * kMs);  // behind one that was slow
    EXPECT_EQ(finding.when[1].end, (22 * 15 + 50) * kMs);
}

// All are slow but these 25: what those have fewer of is told for its good side. Each saves 20 ms, of a run of
// 75 · 35 + 25 · 15 = 3,000.
TEST(SameSpaces, AdvantageIsAnEventThatTheFewFastOnesLack) {
    const findings::Judgement judgement = judged_where(
        {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97}, false);
    ASSERT_EQ(judgement.advantages.size(), 1U);
    const findings::Finding& advantage = judgement.advantages[0];
    expect_told(
        advantage,
        "25 of the 100 occurrences of `load` are 3.0× faster than the rest (10 ms against 30 ms), which "
        "saves 500 ms; they have 24× fewer LLC-load-misses (10,000 each against 240,000).",
        {"load", 0.5, 0.166667, 0.166667, "what these occurrences find or do is worth having in the others as well"});
    ASSERT_EQ(advantage.when.size(), 25U);
    EXPECT_EQ(advantage.when[0].begin, 2 * 35 * kMs);
    EXPECT_EQ(advantage.when[0].end, (2 * 35 + 10) * kMs);
}

// All but twelve are slow. Each of those saves 20 ms, of a run of 88 · 35 + 12 · 15 = 3,260.
TEST(SameSpaces, AdvantageIsToldHoweverFewAreFast) {
    const findings::Judgement judgement = judged_where({3, 10, 24, 29, 41, 47, 60, 66, 71, 85, 88, 97}, false);
    ASSERT_EQ(judgement.advantages.size(), 1U);
    expect_told(
        judgement.advantages[0],
        "12 of the 100 occurrences of `load` are 3.0× faster than the rest (10 ms against 30 ms), which saves "
        "240 ms; they have 24× fewer LLC-load-misses (10,000 each against 240,000).",
        {"load", 0.24, 0.073620, 0.073620,
         "what these occurrences find or do is worth having in the others as well"});
}

}  // namespace
}  // namespace kymo::collections
