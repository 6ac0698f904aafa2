// What the handler owes the program, on signals made by hand.
#include "monitor/sampling/debt.h"

#include <gtest/gtest.h>

namespace kymo::monitor {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

// Signals that take `work`, the program having `had` before each; ns.
Debt after(unsigned signals, std::uint64_t work, std::uint64_t had, bool met_new_image) {
    Debt debt;
    std::uint64_t now = 0;
    for (unsigned i = 0; i < signals; ++i) {
        now += had;
        debt.took(now, now + work, had, met_new_image);
        now += work;
    }
    return debt;
}

TEST(Debt, LittleWorkIsPaidByTheTimeBetween) {
    EXPECT_FALSE(after(100'000, 10'000, kMillisecond, false).is_much());
    EXPECT_FALSE(after(100'000, kMillisecond, kMillisecond, false).is_much());
}

TEST(Debt, WorkThatLeavesNoTimeIsMuch) {
    EXPECT_TRUE(after(1'000, 2 * kMillisecond, kMillisecond, false).is_much());
}

TEST(Debt, IsPaidInTheEnd) {
    Debt debt = after(1'000, 2 * kMillisecond, kMillisecond, false);
    ASSERT_TRUE(debt.is_much());
    debt.took(0, 0, 10'000 * kMillisecond, false);
    EXPECT_FALSE(debt.is_much());
}

TEST(Debt, OneSignalIsNeverMuch) {
    EXPECT_FALSE(after(1, 10'000 * kMillisecond, 0, false).is_much());
}

// A program that begins with ten large libraries.
TEST(Debt, TablesOfNewImagesAreNotOwed) {
    EXPECT_TRUE(after(10, 15 * kMillisecond, kMillisecond / 5, false).is_much());
    EXPECT_FALSE(after(10, 15 * kMillisecond, kMillisecond / 5, true).is_much());
}

}  // namespace
}  // namespace kymo::monitor
