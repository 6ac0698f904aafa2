#include "spacetime/spaces/space_table.h"

#include "drawn_graph.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::spacetime {
namespace {

class Weights : public testing::Test {
  protected:
    // 0 → {1, 2} → 3: 4, 2, 6 and 4 instructions; function 0 of image 7
    FunctionFlow flow_{draw({4, 2, 6, 4}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})};
    PairRule rule_{flow_};
    std::vector<KnownFunction> functions_ = {{7, &rule_}};

    static void add(PairCounts* counts, std::uint64_t a, std::uint64_t b, std::vector<std::int64_t> deltas,
                    std::uint64_t times = 1) {
        counts->add({{0, a}, {0, b}}, deltas, times);
    }
};

TEST_F(Weights, AreInstructionsTimesOccurrences) {
    PairCounts counts(1);
    for (int i = 0; i < 5; ++i) {
        add(&counts, 0x1000, 0x1008, {100});  // 3 instructions
    }
    add(&counts, 0x1028, 0x102c, {40}, 2);  // in block 2, 2 instructions, twice at once
    const SpaceTable table = weigh(counts, functions_);
    ASSERT_EQ(table.spaces.size(), 2U);
    EXPECT_EQ(table.spaces[0].weight, 15 * kInstruction);
    EXPECT_EQ(table.spaces[0].occurrences, 5U);
    EXPECT_EQ(table.spaces[0].sums, (std::vector<std::int64_t>{500}));
    EXPECT_EQ(table.spaces[0].image, 7U);
    EXPECT_EQ(table.spaces[1].weight, 4 * kInstruction);
    EXPECT_EQ(table.total_weight, 19 * kInstruction);
    EXPECT_EQ(table.block_weight[0], (std::vector<std::uint64_t>{15 * kInstruction, 0, 4 * kInstruction, 0}));
}

TEST_F(Weights, DivideDeltasByInstructionsWithoutLoss) {
    PairCounts counts(2);
    add(&counts, 0x1000, 0x1030, {101, -7});  // 4 + 1 common, the mean of 2 and 6 is the rest
    const SpaceTable table = weigh(counts, functions_);
    ASSERT_EQ(table.spaces.size(), 2U);
    const WeighedSpace& common = table.spaces[0].space.uncertain ? table.spaces[1] : table.spaces[0];
    const WeighedSpace& rest = table.spaces[0].space.uncertain ? table.spaces[0] : table.spaces[1];
    EXPECT_EQ(common.weight, 5 * kInstruction);
    EXPECT_EQ(rest.weight, 4 * kInstruction);
    EXPECT_EQ(common.sums, (std::vector<std::int64_t>{56, -3}));  // 101 × 5 / 9 = 56.1, −7 × 5 / 9 = −3.9
    EXPECT_EQ(rest.sums, (std::vector<std::int64_t>{45, -4}));
}

TEST_F(Weights, PairsThatComeToTheSameSpaceAreOne) {
    PairCounts counts(0);
    counts.add({{0, 0x1008}, {kNone, 0x9000}}, {});  // the rest of block 0 …
    counts.add({{0, 0x1008}, {kNone, 0x9999}}, {});  // … twice, and two addresses of nothing known
    const SpaceTable table = weigh(counts, functions_);
    ASSERT_EQ(table.spaces.size(), 3U);
    EXPECT_EQ(table.spaces[0].occurrences, 2U);
    EXPECT_EQ(table.spaces[0].weight, 4 * kInstruction);
    EXPECT_EQ(table.spaces[1].image, 0xffffffffU);
    EXPECT_EQ(table.spaces[1].weight, kInstruction);
}

TEST_F(Weights, AboveOnePerCentAreKeptHeaviestFirst) {
    PairCounts counts(0);
    counts.add({{0, 0x1000}, {0, 0x1000}}, {}, 1);  // exactly 1 %: not above
    counts.add({{0, 0x1004}, {0, 0x1004}}, {}, 2);
    counts.add({{0, 0x1008}, {0, 0x1008}}, {}, 97);
    const SpaceTable table = weigh(counts, functions_);
    ASSERT_EQ(table.total_weight, 100 * kInstruction);
    EXPECT_EQ(table.heavier_than(), (std::vector<std::size_t>{2, 1}));
    EXPECT_EQ(table.heavier_than(percent(2)), (std::vector<std::size_t>{2}));
    EXPECT_EQ(table.heavier_than({9'999}).size(), 3U);
}

TEST_F(Weights, OfHalvesAddUpToTheWhole) {
    std::mt19937_64 random(23);
    PairCounts whole(2);
    PairCounts first(2);
    PairCounts second(2);
    std::vector<std::int64_t> sums(2, 0);
    for (int i = 0; i < 20'000; ++i) {
        const AddressPairKey key = {{0, 0x1000 + 4 * (random() % 16)},
                                    {random() % 9 == 0 ? 3U : 0U, 0x1000 + 4 * (random() % 16)}};
        const std::vector<std::int64_t> deltas = {static_cast<std::int64_t>(random() % 1000),
                                                  -static_cast<std::int64_t>(random() % 50)};
        whole.add(key, deltas);
        (random() % 2 == 0 ? first : second).add(key, deltas);
        sums[0] += deltas[0];
        sums[1] += deltas[1];
    }
    second.merge(first);
    const SpaceTable a = weigh(whole, functions_);
    const SpaceTable b = weigh(second, functions_);
    ASSERT_EQ(a.spaces.size(), b.spaces.size());
    EXPECT_EQ(a.total_weight, b.total_weight);
    EXPECT_EQ(a.block_weight, b.block_weight);
    std::vector<std::int64_t> found(2, 0);
    for (std::size_t i = 0; i < a.spaces.size(); ++i) {
        EXPECT_EQ(a.spaces[i].space.ranges, b.spaces[i].space.ranges);
        EXPECT_EQ(a.spaces[i].weight, b.spaces[i].weight);
        EXPECT_EQ(a.spaces[i].occurrences, b.spaces[i].occurrences);
        EXPECT_EQ(a.spaces[i].sums, b.spaces[i].sums);
        found[0] += a.spaces[i].sums[0];
        found[1] += a.spaces[i].sums[1];
    }
    EXPECT_EQ(found, sums);
}

}  // namespace
}  // namespace kymo::spacetime
