// The interval has the ends and the confidence that counting signs gives, and holds the truth as often as it says.
#include "confirm/signed_ranks.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::confirm {
namespace {

TEST(Middle, OfSixIsFromTheLeastToTheMost) {
    const Middle middle = middle_of({3, 1, 6, 2, 5, 4});
    EXPECT_DOUBLE_EQ(middle.value, 3.5);
    EXPECT_DOUBLE_EQ(middle.low, 1);
    EXPECT_DOUBLE_EQ(middle.high, 6);
    EXPECT_DOUBLE_EQ(middle.confidence, 1 - 2.0 / 64);
}

// Of the 1,024 choices of signs for the ranks 1 … 10, 25 have a sum of 8 or less.
TEST(Middle, OfTenLeavesOutEightMeansAtEitherEnd) {
    std::vector<double> differences;
    for (int i = 1; i <= 10; ++i) {
        differences.push_back(1 << i);
    }
    const Middle middle = middle_of(differences);
    EXPECT_DOUBLE_EQ(middle.confidence, 1 - 2 * 25.0 / 1024);
    EXPECT_DOUBLE_EQ(middle.low, 12);  // the ninth of the means: 2, 3, 4, 5, 6, 8, 9, 10, 12 = (8 + 16) / 2
}

TEST(Middle, HasNoIntervalOfFewerThanSix) {
    EXPECT_EQ(middle_of({1, 2, 3, 4, 5}).confidence, 0);
    EXPECT_DOUBLE_EQ(middle_of({1, 2, 3, 4, 5}).value, 3);
    EXPECT_EQ(middle_of({}).confidence, 0);
}

TEST(Middle, IntervalHoldsTheTruthAsOftenAsItSays) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0.2, 1);
    int holds = 0;
    constexpr int kRounds = 4'000;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<double> differences(8);
        for (double& each : differences) {
            each = normal(random);
        }
        const Middle middle = middle_of(differences);
        holds += middle.low <= 0.2 && 0.2 <= middle.high ? 1 : 0;
    }
    // Of eight: P(W+ ≤ 3) = 5 / 256, so 0.961; four standard deviations of 4,000 rounds are 0.012.
    EXPECT_NEAR(static_cast<double>(holds) / kRounds, 1 - 10.0 / 256, 0.012);
}

}  // namespace
}  // namespace kymo::confirm
