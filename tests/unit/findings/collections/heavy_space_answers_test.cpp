// Heavy spaces: which code is kept, what was counted over it, and of what it has more than the rest of the program.
#include "stored_program.h"

#include <gtest/gtest.h>

namespace kymo::collections {
namespace {

using spacetime::HeavySpace;
using spacetime::PairCase;

constexpr std::size_t kFork = 1;
constexpr std::size_t kLine = 2;

// Four pairs of samples in `line` (96 instructions, no jump) and on to `fork`, then 100 rounds of five samples there:
//
//     pair            spaces                                                       instructions       pairs
//     line 00 → 28    no jump: 00 … 28                                             0x29 = 41              1
//     line 28 → 30    no jump                                                      9                      1
//     line 30 → 57    no jump: 30 … 57                                             0x28 = 40              1
//     line 57 → fork  another function: to line's end (57 … 5f), fork 0 … 2        9 + 3                  1
//     fork 02 → 13    by B or C: common 2 … A's end, D … 13; rest (B + C) / 2      (3 + 4) + (7 + 2) / 2  100
//     fork 13 → 07    backwards, no loop: to D's end (13 … 18), B … 07             6 + 2                  100
//     fork 07 → 12    one path: 07 … B's end, D … 12                               6 + 3                  100
//     fork 12 → 15    no jump                                                      4                      100
//     fork 15 → 02    backwards: to D's end (15 … 18), A … 02                      4 + 3                  99
//
// Instructions × pairs: 41 + 9 + 40 + 12 + 100 · (11.5 + 8 + 9 + 4) + 99 · 7 = 102 + 3,250 + 693 = 4,045.
// Misses by pair, from the first line on: 5, 0, 0, 12; then 115, 80, 90, 40, 70. Packets: 1 at 02 → 13, 3 at 12 → 15.
// The very first sample ends no pair: its 1,000 misses are in no space.
spacetime::Evidence forks(const spacetime::EvidenceOptions& options = {}) {
    StoredProgram program({straight("main", 16), forked("fork"), straight("line", 96)});
    program.sample(kLine, 0x00, 1000);
    program.sample(kLine, 0x28, 5);
    program.sample(kLine, 0x30);
    program.sample(kLine, 0x57);
    for (int round = 0; round < 100; ++round) {
        program.sample(kFork, 0x02, round == 0 ? 12 : 70);
        program.sample(kFork, 0x13, 115, 1);
        program.sample(kFork, 0x07, 80);
        program.sample(kFork, 0x12, 90);
        program.sample(kFork, 0x15, 40, 3);
    }
    return program.evidence(options);
}

std::vector<ByteRange> at(std::size_t function, std::vector<ByteRange> offsets) {
    for (ByteRange& range : offsets) {
        range = {address(function, range.begin), address(function, range.end)};
    }
    return offsets;
}

TEST(HeavySpaces, KeptAreThoseAboveOnePerCentOfTheWeight) {
    const spacetime::Evidence evidence = forks();
    struct Kept {
        std::vector<ByteRange> ranges;
        double weight;  // of 4,045
        std::uint64_t pairs;
        PairCase rule;
        bool uncertain = false;
    };
    const Kept kept[] = {
        {at(kFork, {{0x07, 0x0e}, {0x10, 0x13}}), 0.222497, 100, PairCase::kOnePath},       // 900
        {at(kFork, {{0x02, 0x06}, {0x10, 0x14}}), 0.173053, 100, PairCase::kSeveralPaths},  // 700
        {at(kFork, {{0x13, 0x19}}), 0.148331, 100, PairCase::kNoPath},                      // 600
        {at(kFork, {{0x06, 0x10}}), 0.111248, 100, PairCase::kSeveralPaths, true},          // 450
        {at(kFork, {{0x12, 0x16}}), 0.098888, 100, PairCase::kNoJump},                      // 400
        {at(kFork, {{0x15, 0x19}}), 0.097899, 99, PairCase::kNoPath},                       // 396
        {at(kFork, {{0x00, 0x03}}), 0.074166, 100, PairCase::kNoPath},                      // 297 + 3
        {at(kFork, {{0x06, 0x08}}), 0.049444, 100, PairCase::kNoPath},                      // 200
        {at(kLine, {{0x00, 0x29}}), 0.010136, 1, PairCase::kNoJump},                        // 41
    };  // and not the 40 of line 30 → 57: 0.009889
    ASSERT_EQ(evidence.spaces.size(), std::size(kept));
    for (std::size_t i = 0; i < std::size(kept); ++i) {
        const HeavySpace& space = evidence.spaces[i];
        EXPECT_EQ(space.place.ranges, kept[i].ranges) << i;
        EXPECT_NEAR(space.weight, kept[i].weight, 5e-7) << i;
        EXPECT_EQ(space.occurrences, kept[i].pairs) << i;
        EXPECT_EQ(space.rule, kept[i].rule) << i;
        EXPECT_EQ(space.uncertain, kept[i].uncertain) << i;
        EXPECT_EQ(space.place.function, i < 8 ? "fork" : "line") << i;
    }
    EXPECT_EQ(forks({.space_share = spacetime::percent(20)}).spaces.size(), 1U);
}

// Of what was counted between two samples each space of theirs has its share by instructions.
TEST(HeavySpaces, HaveTheirEventsOverThePairsOfSamples) {
    const spacetime::Evidence evidence = forks();
    // In the order above.
    const std::int64_t misses[] = {
        9000,      // 100 · 90
        7000,      // 100 · 115 · 7 / 11.5
        6000,      // 100 · 80 · 6 / 8
        4500,      // 100 · 115 · 4.5 / 11.5
        4000,      // 100 · 40
        3960,      // 99 · 70 · 4 / 7
        2970 + 3,  // 99 · 70 · 3 / 7 and 12 · 3 / 12
        2000,      // 100 · 80 · 2 / 8
        5,
    };
    const std::int64_t packets[] = {0, 60, 0, 40, 300,
                                    0, 0,  0, 0};  // 100 · 7 / 11.5 = 60.9, rounded down; and the rest
    constexpr std::int64_t kAllMisses = 5 + 12 + 11'500 + 8'000 + 9'000 + 4'000 + 6'930;
    ASSERT_EQ(evidence.spaces.size(), std::size(misses));
    for (std::size_t i = 0; i < std::size(misses); ++i) {
        const HeavySpace& space = evidence.spaces[i];
        EXPECT_EQ(space.deltas.at(kMisses), misses[i]) << i;
        EXPECT_EQ(space.rest_deltas.at(kMisses), kAllMisses - misses[i]) << i;
        EXPECT_EQ(space.deltas.at(kPackets), packets[i]) << i;
        EXPECT_EQ(space.rest_deltas.at(kPackets), 400 - packets[i]) << i;
    }
    // Time: 4 + 499 pairs of 1 ms. Of 02 → 13 all 100 ms · 7 / 11.5; of 07 → 12 all 100, beside its share of the
    // weight.
    EXPECT_EQ(evidence.spaces[1].deltas[kClock], 60'869'565);
    EXPECT_EQ(evidence.spaces[3].deltas[kClock], 39'130'435);
    EXPECT_NEAR(evidence.spaces[0].time_share, 0.198807, 5e-7);  // 100 / 503
    EXPECT_NEAR(evidence.spaces[0].stall, 0.893528, 5e-7);       // (100 / 503) / (900 / 4,045)
    EXPECT_EQ(evidence.spaces[0].longest_gap_ns, 4 * kMs);       // a round but the pair itself
}

// The rest of 02 → 13 is 4.5 of its 11.5 instructions: never half of a pair. What happens in time is told of the
// pairs that it has a part in: one a round of 5 ms, the first from the fifth sample to the sixth, 115 misses and a
// packet each.
TEST(HeavySpaces, AnUncertainRestHasALifeInTime) {
    const spacetime::Evidence evidence = forks();
    const spacetime::SameSpaces& rest =
        evidence.same_spaces[group_of(evidence, {address(kFork, 6), address(kFork, 16)})];
    EXPECT_TRUE(rest.is_part);
    EXPECT_TRUE(rest.life.folded) << "runs of one sample";
    EXPECT_EQ(rest.life.occurrences, 100U);
    EXPECT_EQ(rest.life.total.user, ms(100));
    EXPECT_EQ(rest.life.deltas.at(kMisses), 11'500);
    EXPECT_EQ(rest.gaps.gaps.count, 99U);
    EXPECT_EQ(rest.gaps.gaps.longest, 4 * kMs);
    EXPECT_TRUE(rest.patterns.empty());
    ASSERT_EQ(rest.life.rows.size(), 100U);
    for (std::size_t row = 0; row < 100; ++row) {
        EXPECT_EQ(rest.life.rows.begin[row], (5 + 5 * row) * kMs) << row;
        EXPECT_EQ(rest.life.rows.end[row], (6 + 5 * row) * kMs) << row;
        EXPECT_EQ(rest.life.rows.deltas_of(row)[kMisses], 115) << row;
        EXPECT_EQ(rest.life.rows.deltas_of(row)[kPackets], 1) << row;
        // 80 + 90 + 40 + 70 misses, three packets.
        EXPECT_EQ(rest.life.rows.gap_deltas_of(row)[kMisses], row == 0 ? 0 : 280) << row;
        EXPECT_EQ(rest.life.rows.gap_deltas_of(row)[kPackets], row == 0 ? 0 : 3) << row;
    }
    EXPECT_FALSE(evidence.same_spaces[group_of(evidence, {address(kFork, 0x13), address(kFork, 0x19)})].is_part);
}

// 30 rounds of `load` (10 ms, 4,000 misses each) and `add` (10 ms, 400 each): 4,000,000 misses a second against
// 400,000. Beyond the rest's rate there are 3,600,000 / s · 0.3 s = 1,080,000 misses, 120 ns each at the most: 129.6
// ms of a run of 600, of which a quarter is sure.
TEST(HeavySpaces, DefectIsAnEventThatTheRestOfTheProgramHasFewerOf) {
    StoredProgram program({straight("main", 16), straight("load", 32), straight("add", 32)});
    for (int round = 0; round < 30; ++round) {
        program.run(1, 10, 4000);
        program.run(2, 10, 400);
    }
    const findings::Judgement judgement = findings::judge(program.evidence());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_TRUE(judgement.advantages.empty());
    expect_told(judgement.findings[0],
                "`load` has 10× as many LLC-load-misses a second as the rest of the program: they cost it up to "
                "130 ms. The data this code touches is not in the cache.",
                {"load", 0.1296, 0.216, 0.054});
}

// 30 rounds of `mix` (10 ms at 0x10 without misses, 5 ms at 0x50 with 4,000 each) and `add` (10 ms, 600 each). The
// function has 20,000 / 15 ms = 1,333 a ms against 600: not three times as many. Between two samples at 0x50 there
// are 4,000 a ms (4 of 25 pairs of a round), in the rest (20,000 − 16,000 + 6,000) / 21 ms = 476, but that the run's
// first millisecond is in no pair and in the rest all the same. Beyond that 3,524 · 4 · 30 = 422,857 misses, 120 ns
// each at the most: 50.7 ms of a run of 750, of which a quarter is sure.
TEST(HeavySpaces, DefectMayBeOfAddressesWithinAFunction) {
    StoredProgram program({straight("main", 16), straight("mix", 96), straight("add", 32)});
    for (int round = 0; round < 30; ++round) {
        for (int i = 0; i < 10; ++i) {
            program.sample(1, 0x10);
        }
        for (int i = 0; i < 5; ++i) {
            program.sample(1, 0x50, 4000);
        }
        program.run(2, 10, 600);
    }
    const spacetime::Evidence evidence = program.evidence();
    const std::uint32_t group = group_of(evidence, {address(1, 0x50), address(1, 0x51)});
    EXPECT_EQ(evidence.same_spaces[group].deltas.at(kMisses), 30 * 16'000);
    EXPECT_EQ(evidence.same_spaces[group].deltas.at(kClock), ms(120));
    const findings::Judgement judgement = findings::judge(evidence);
    ASSERT_EQ(judgement.findings.size(), 1U);
    const findings::Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "more-events");
    EXPECT_FALSE(finding.tested);
    EXPECT_EQ(
        finding.title,
        "`mix` has 8.4× as many LLC-load-misses a second as the rest of the program: they cost it up to 51 ms. The "
        "data this code touches is not in the cache.");
    EXPECT_EQ(finding.place.ranges, at(1, {{0x50, 0x51}}));
    EXPECT_NEAR(finding.seconds, 0.050743, 1e-6);
    EXPECT_NEAR(finding.share_low, 0.050743 / 0.75 / 4, 1e-6);
    EXPECT_EQ(finding.direction, "walk memory in order, make the records smaller, block the loops, or prefetch");
}

}  // namespace
}  // namespace kymo::collections
