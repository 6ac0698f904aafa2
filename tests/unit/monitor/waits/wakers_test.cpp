#include "monitor/waits/wakers.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace kymo::monitor {
namespace {

constexpr std::uint64_t kSpacing = 40;  // of a mutex in an array

TEST(Wakers, TheLastOneIsKnown) {
    const auto wakers = std::make_unique<Wakers>();
    EXPECT_EQ(wakers->last(0x7f0000001000), 0U);
    wakers->note(0x7f0000001000, 7);
    wakers->note(0x7f0000001000, 9);
    wakers->note(0x7f0000001040, 8);
    EXPECT_EQ(wakers->last(0x7f0000001000), 9U);
    EXPECT_EQ(wakers->last(0x7f0000001040), 8U);
    EXPECT_EQ(wakers->last(0x7f0000001080), 0U);
}

// With one place an object, one pair in four thousand of them met: 30 in a run missed an answer in one run of ten.
TEST(Wakers, AFewDozenObjectsDoNotDriveEachOtherOut) {
    std::mt19937_64 random(3);
    constexpr int kRuns = 2000;
    constexpr std::uint64_t kObjects = 30;
    int missing = 0;
    for (int run = 0; run < kRuns; ++run) {
        const auto wakers = std::make_unique<Wakers>();
        const std::uint64_t base = 0x550000000000 + (random() & 0xFFFFFFF000);
        for (std::uint64_t i = 0; i < kObjects; ++i) {
            wakers->note(base + i * kSpacing, static_cast<int>(100 + i));
        }
        for (std::uint64_t i = 0; i < kObjects; ++i) {
            const std::uint64_t found = wakers->last(base + i * kSpacing);
            ASSERT_TRUE(found == 0 || found == 100 + i);
            missing += found == 0 ? 1 : 0;
        }
    }
    EXPECT_LE(missing, 6) << "of " << kRuns * kObjects;  // one in ten thousand
}

// Many more than there is room for: answers are missing, none is another's.
TEST(Wakers, NoAnswerIsOfAnotherObject) {
    const auto wakers = std::make_unique<Wakers>();
    constexpr std::uint64_t kObjects = 100'000;
    for (std::uint64_t i = 0; i < kObjects; ++i) {
        wakers->note(0x7f0000000000 + i * kSpacing, static_cast<int>(i + 1));
    }
    std::uint64_t known = 0;
    for (std::uint64_t i = 0; i < kObjects; ++i) {
        const std::uint64_t found = wakers->last(0x7f0000000000 + i * kSpacing);
        ASSERT_TRUE(found == 0 || found == i + 1) << i;
        known += found != 0 ? 1 : 0;
    }
    EXPECT_GT(known, 3000U);
}

}  // namespace
}  // namespace kymo::monitor
