#include "findings/statistics/robust.h"

#include "series.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
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

double cliffs_delta_of(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::vector<char> label(a.size(), 1);
    label.resize(all.size(), 0);
    return cliffs_delta(balances(all), label);
}

TEST(Robust, BalancesAreSmallerOnesLessLargerOnes) {
    const double unknown = std::nan("");
    EXPECT_THAT(balances(std::vector<double>{5, 1, unknown, 3, 1}),
                testing::ElementsAre(3, -2, kUnknownBalance, 1, -2));
    EXPECT_TRUE(balances(std::vector<double>()).empty());
}

TEST(Robust, CliffsDeltaCountsPairs) {
    EXPECT_EQ(cliffs_delta_of({4, 5}, {1, 2, 3}), 1);
    EXPECT_EQ(cliffs_delta_of({1, 2}, {3}), -1);
    EXPECT_EQ(cliffs_delta_of({1, 1}, {1}), 0);
    EXPECT_EQ(cliffs_delta_of({1, 2}, {}), 0);
    EXPECT_EQ(cliffs_delta_of({4, std::nan(""), 5}, {1, 2, 3}), 1);
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
        EXPECT_NEAR(cliffs_delta_of(a, b), balance / static_cast<double>(a.size() * b.size()), 1e-12);
    }
}

}  // namespace
}  // namespace kymo::findings
