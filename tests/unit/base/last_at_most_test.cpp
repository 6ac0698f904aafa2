#include "base/last_at_most.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace kymo {
namespace {

struct Part {
    std::uint64_t begin = 0;
    int name = 0;
};

TEST(LastAtMost, IsTheOneThatBeginsThereOrBefore) {
    const std::vector<Part> parts = {{10, 1}, {20, 2}, {30, 3}};
    EXPECT_EQ(last_at_most(parts, 9U, &Part::begin), nullptr);
    EXPECT_EQ(last_at_most(parts, 10U, &Part::begin)->name, 1);
    EXPECT_EQ(last_at_most(parts, 29U, &Part::begin)->name, 2);
    EXPECT_EQ(last_at_most(parts, 30U, &Part::begin)->name, 3);
    EXPECT_EQ(last_at_most(parts, UINT64_MAX, &Part::begin)->name, 3);
}

TEST(LastAtMost, OfEqualOnesIsTheLast) {
    const std::vector<Part> parts = {{10, 1}, {10, 2}, {20, 3}};
    EXPECT_EQ(last_at_most(parts, 10U, &Part::begin)->name, 2);
}

TEST(LastAtMost, OfNothingIsNothing) {
    EXPECT_EQ(last_at_most(std::vector<int>{}, 5), nullptr);
}

TEST(LastAtMost, PointsIntoWhatItWasGiven) {
    std::vector<int> sorted = {1, 2, 3};
    *last_at_most(sorted, 2) = 0;
    EXPECT_EQ(sorted, (std::vector<int>{1, 0, 3}));
}

}  // namespace
}  // namespace kymo
