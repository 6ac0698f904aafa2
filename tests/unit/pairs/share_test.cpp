#include "pairs/share.h"

#include <gtest/gtest.h>

namespace kymo::pairs {
namespace {

TEST(EstimateShare, LeavesOutTheMatchThatStoppedTheTest) {
    EXPECT_DOUBLE_EQ(estimate_share(101, 11, 0, 0).value, 0.1);
    EXPECT_DOUBLE_EQ(estimate_share(101, 11, 100, 20).value, 0.15);
}

TEST(EstimateShare, TrustsWhatCameAfterTheFindAlone) {
    EXPECT_DOUBLE_EQ(estimate_share(11, 11, 1000, 100).value, 0.1);
}

TEST(EstimateShare, IsNothingWithoutEvents) {
    EXPECT_EQ(estimate_share(0, 0, 0, 0).value, 0);
    EXPECT_EQ(estimate_share(1, 1, 0, 0).value, 0);
}

TEST(EstimateShare, ErrorIsTheStandardDeviation) {
    EXPECT_NEAR(estimate_share(0, 0, 10'000, 1'000).error, 0.003, 1e-4);
    EXPECT_GT(estimate_share(0, 0, 100, 100).error, 0) << "also where every event matched";
}

}  // namespace
}  // namespace kymo::pairs
