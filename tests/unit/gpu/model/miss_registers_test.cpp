// An SM's miss registers, by hand and held against ones written the plainest way.
#include "gpu/model/miss_registers.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>

namespace kymo::gpu {
namespace {

TEST(MissRegisters, AreFreeAgainInTheOrderOfArrival) {
    MissRegisters registers(4);
    EXPECT_EQ(registers.free_from(0, 3), 0);
    registers.hold(500, 3);
    EXPECT_EQ(registers.free_from(10, 1), 10);
    registers.hold(200, 1);  // later asked for, earlier there
    EXPECT_EQ(registers.free_from(20, 1), 200);
    registers.hold(700, 1);
    EXPECT_EQ(registers.free_from(30, 4), 700);
}

TEST(MissRegisters, AskedForMoreThanThereAreItIsAll) {
    MissRegisters registers(2);
    EXPECT_EQ(registers.free_from(5, 4), 5);
    registers.hold(50, 4);
    EXPECT_EQ(registers.free_from(6, 4), 50);
}

// What a miss of four sectors leaves over to one that waited for it is not free before that either.
TEST(MissRegisters, WhatIsLeftOfThoseWaitedForIsFreeWhenTheyAre) {
    MissRegisters registers(4);
    EXPECT_EQ(registers.free_from(0, 4), 0);
    registers.hold(500, 4);
    EXPECT_EQ(registers.free_from(10, 1), 500);
    registers.hold(900, 1);
    EXPECT_EQ(registers.free_from(20, 1), 500);
    registers.hold(800, 1);
    EXPECT_EQ(registers.free_from(30, 3), 800);
}

TEST(MissRegisters, DoAsThePlainOnes) {
    constexpr unsigned kCount = 32;
    MissRegisters registers(kCount);
    std::array<double, kCount> free_from{};  // of each
    std::mt19937_64 random(7);
    double now = 0;
    unsigned waited = 0;
    for (int i = 0; i < 20'000; ++i) {
        now += static_cast<double>(random() % 40);
        const auto wanted = static_cast<unsigned>(1 + random() % 4);
        std::sort(free_from.begin(), free_from.end());
        const double from = std::max(now, free_from[wanted - 1]);
        ASSERT_EQ(registers.free_from(now, wanted), from) << i;
        waited += from > now ? 1 : 0;
        const double until = from + static_cast<double>(random() % 900);
        std::fill_n(free_from.begin(), wanted, until);
        registers.hold(until, wanted);
    }
    EXPECT_GT(waited, 1000U);
}

}  // namespace
}  // namespace kymo::gpu
