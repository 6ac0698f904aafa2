#include "findings/statistics/robust.h"

#include "series.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

TEST(Robust, MedianOfOddAndEvenNumbers) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(median({7}), 7);
    EXPECT_EQ(median({}), 0);
}

// R: quantile(c(1, 2, 4, 8, 16)), its default type 7.
TEST(Robust, QuantilesLieBetweenNeighbours) {
    const std::vector<double> values = {1, 2, 4, 8, 16};
    EXPECT_EQ(quantile(values, 0), 1);
    EXPECT_EQ(quantile(values, 0.25), 2);
    EXPECT_EQ(quantile(values, 0.9), 12.8);
    EXPECT_EQ(quantile(values, 1), 16);
}

TEST(Robust, ScaledMadIsTheStandardDeviationOfNormalValuesAndIgnoresAWildOne) {
    Random random(1);
    std::vector<double> values = stationary(20'000, 0, &random);
    EXPECT_NEAR(scaled_mad(values, 0), 1, 0.03);
    values.push_back(1e12);
    EXPECT_NEAR(scaled_mad(values, 0), 1, 0.03);
}

TEST(Robust, HodgesLehmannIsTheMedianOfAllDifferences) {
    // Differences: 3 1 0, 4 2 1, 9 7 6: in order 0 1 1 2 3 4 6 7 9.
    EXPECT_EQ(hodges_lehmann_shift(std::vector<double>{4, 5, 10}, std::vector<double>{1, 3, 4}), 3);
    EXPECT_EQ(hodges_lehmann_shift({}, std::vector<double>{1}), 0);
}

TEST(Robust, HodgesLehmannOfLargeSamplesFindsTheShift) {
    Random random(2);
    std::vector<double> a = stationary(3'000, 0, &random);
    const std::vector<double> b = stationary(4'000, 0, &random);
    std::transform(a.begin(), a.end(), a.begin(), [](double x) { return x + 0.7; });
    EXPECT_NEAR(hodges_lehmann_shift(a, b), 0.7, 0.08);
}

TEST(Robust, CliffsDeltaCountsPairs) {
    EXPECT_EQ(cliffs_delta(std::vector<double>{4, 5}, std::vector<double>{1, 2, 3}), 1);
    EXPECT_EQ(cliffs_delta(std::vector<double>{1, 2}, std::vector<double>{3}), -1);
    EXPECT_EQ(cliffs_delta(std::vector<double>{1, 1}, std::vector<double>{1}), 0);
    Random random(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<double> a(1 + random.below(20));
        std::vector<double> b(1 + random.below(20));
        for (auto* values : {&a, &b}) {
            std::generate(values->begin(), values->end(), [&] { return static_cast<double>(random.below(6)); });
        }
        double balance = 0;
        for (const double x : a) {
            for (const double y : b) {
                balance += x > y ? 1 : x < y ? -1 : 0;
            }
        }
        EXPECT_NEAR(cliffs_delta(a, b), balance / static_cast<double>(a.size() * b.size()), 1e-12);
    }
}

}  // namespace
}  // namespace kymo::findings
