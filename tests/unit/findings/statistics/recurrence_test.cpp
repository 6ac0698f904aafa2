#include "findings/statistics/recurrence.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace kymo::findings {
namespace {

std::vector<RoundEvents> one(std::uint32_t rounds, std::vector<std::uint32_t> at) {
    return {{.rounds = rounds, .at = std::move(at)}};
}

TEST(Recurrence, KnowsTheDistanceAndHowEvenItIs) {
    const Recurrence exact = recurrence_test(one(60, {11, 23, 35, 47, 59}), Random(1));
    EXPECT_EQ(exact.every, 12U);
    EXPECT_EQ(exact.unevenness, 0);
    // Four distances of 3 … 14 in 60 rounds: Σ (60 − 4d) = 312 of 5,461,512 choices.
    EXPECT_LT(exact.p, 0.001);
    EXPECT_GT(exact.by_chance, 0.3);
    // Two rounds were taken for three: distances 12, 12, 13, 13, each off by a half.
    const Recurrence jittered = recurrence_test(one(62, {11, 23, 35, 48, 61}), Random(1));
    EXPECT_EQ(jittered.every, 12U);
    EXPECT_DOUBLE_EQ(jittered.unevenness, 0.5 / 12.5);
    // One was not seen: distances 10, 10, 20, 10.
    const Recurrence missed = recurrence_test(one(60, {9, 19, 29, 49, 59}), Random(1));
    EXPECT_EQ(missed.every, 10U);
    EXPECT_DOUBLE_EQ(missed.unevenness, 0.25);
}

// Three of nine rounds: of 84 choices four are even, 0 3 6, 1 4 7, 2 5 8 and 0 4 8.
TEST(Recurrence, GivesTheChanceThatAllChoicesGive) {
    const Recurrence test = recurrence_test(one(9, {1, 4, 7}), Random(2));
    EXPECT_NEAR(test.p, 4.0 / 84, 0.03);  // drawing ends after thirty hits: known to a fifth
}

TEST(Recurrence, IsNoneOfFewOrOfTurns) {
    EXPECT_EQ(recurrence_test(one(60, {11, 23}), Random(3)).every, 0U);
    EXPECT_EQ(recurrence_test(one(60, {11, 23}), Random(3)).p, 1);
    EXPECT_EQ(recurrence_test(one(60, {0, 2, 4, 6, 8, 10, 12}), Random(3)).every, 0U);
    EXPECT_EQ(recurrence_test(one(60, {5, 6, 7, 8, 40, 41, 42, 43}), Random(3)).every, 0U);
    EXPECT_EQ(recurrence_test({}, Random(3)).every, 0U);
}

TEST(Recurrence, PoolsStreams) {
    const std::vector<RoundEvents> streams = {{40, {9, 19, 29, 39}}, {40, {4, 14, 24, 34}}, {40, {7}}};
    const Recurrence test = recurrence_test(streams, Random(4));
    EXPECT_EQ(test.every, 10U);
    EXPECT_EQ(test.unevenness, 0);
    EXPECT_LT(test.p, 0.001);
}

// Promised: p at most 5 % in 5 % of draws. Of 2,000 at 5 %, 99.99 % of draws stay under 137.
TEST(Recurrence, AlarmsAtThePromisedRate) {
    Random random(5);
    int alarms = 0;
    for (int run = 0; run < 2'000; ++run) {
        std::vector<std::uint32_t> rounds(50);
        std::iota(rounds.begin(), rounds.end(), 0U);
        for (std::size_t i = 0; i < 6; ++i) {
            std::swap(rounds[i], rounds[i + random.below(rounds.size() - i)]);
        }
        rounds.resize(6);
        std::sort(rounds.begin(), rounds.end());
        alarms += recurrence_test(one(50, rounds), Random(random.next()), 499).p <= 0.05 ? 1 : 0;
    }
    EXPECT_LT(alarms, 137);
    EXPECT_GT(alarms, 10);
}

}  // namespace
}  // namespace kymo::findings
