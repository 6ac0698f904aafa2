// Differences between groups of runs: known answers, how often equal groups differ, and how often unlike ones do not.
#include "compare/permutation.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::compare {
namespace {

std::vector<double> drawn(std::mt19937_64& random, std::size_t count, double mean, double spread) {
    std::normal_distribution<double> normal(mean, spread);
    std::vector<double> all(count);
    for (double& one : all) {
        one = normal(random);
    }
    return all;
}

TEST(Permutation, OfGroupsApartIsTheLeastThatSoManyRunsCanShow) {
    const auto p = p_values({{{1, 2, 3, 4, 5}, {11, 12, 13, 14, 15}, 0}, {{7, 7, 7, 7, 7}, {7, 7, 7, 7, 7}, 0}});
    EXPECT_DOUBLE_EQ(p[0], 2.0 / 252);
    EXPECT_DOUBLE_EQ(p[1], 1);
    EXPECT_DOUBLE_EQ(least_p(5, 5), 2.0 / 252);
    EXPECT_DOUBLE_EQ(least_p(3, 3), 0.1);
    EXPECT_DOUBLE_EQ(least_p(3, 5), 1.0 / 56);
    EXPECT_DOUBLE_EQ(least_p(1, 1), 1);
    EXPECT_EQ(p_values({{{1}, {2}, 0}}), std::vector<double>{1});
    EXPECT_TRUE(p_values({}).empty());
}

TEST(Permutation, LooksAtADrawWhereThereAreTooManyDivisions) {
    std::mt19937_64 random(1);
    const ComparedAmount apart{drawn(random, 30, 100, 1), drawn(random, 30, 110, 1), 0};
    const auto p = p_values({apart});
    EXPECT_DOUBLE_EQ(p[0], 1.0 / static_cast<double>(kMostDivisions));
    EXPECT_EQ(p, p_values({apart}));
}

// However many amounts there are, and although they go up and down together with the machine.
TEST(Permutation, EqualGroupsDifferInFivePercentOfComparisons) {
    std::mt19937_64 random(7);
    constexpr int kRounds = 600;
    int told = 0;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<ComparedAmount> amounts(25);
        for (bool is_base : {true, false}) {
            const auto speeds = drawn(random, 5, 1, 0.03);
            for (std::size_t i = 0; i < amounts.size(); ++i) {
                const double size = 10.0 * static_cast<double>(i + 1);
                auto& runs = is_base ? amounts[i].base : amounts[i].other;
                runs = drawn(random, 5, size, 0.02 * size);
                for (std::size_t run = 0; run < 5; ++run) {
                    runs[run] *= speeds[run];
                }
            }
        }
        const auto p = p_values(amounts);
        told += *std::min_element(p.begin(), p.end()) <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(told, 45);  // 30 are expected, with a standard deviation of 5.3
}

TEST(Permutation, AFifthPercentIsFoundAmongTwentyFive) {
    std::mt19937_64 random(9);
    int found = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<ComparedAmount> amounts(25);
        for (std::size_t i = 0; i < amounts.size(); ++i) {
            amounts[i] = {drawn(random, 5, 100, 1), drawn(random, 5, i == 3 ? 105 : 100, 1), 0.1};
        }
        found += p_values(amounts)[3] <= 0.05 ? 1 : 0;
    }
    EXPECT_GE(found, 190);
}

}  // namespace
}  // namespace kymo::compare
