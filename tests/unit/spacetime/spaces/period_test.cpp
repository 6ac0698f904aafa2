#include "spacetime/spaces/period.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace kymo::spacetime {
namespace {

std::vector<std::uint64_t> periodic(std::size_t count, double period, double jitter, std::mt19937* random) {
    std::normal_distribution<double> noise(0, jitter * period);
    std::vector<std::uint64_t> times;
    for (std::size_t i = 0; i < count; ++i) {
        times.push_back(static_cast<std::uint64_t>(1e9 + static_cast<double>(i) * period + noise(*random)));
    }
    std::sort(times.begin(), times.end());
    return times;
}

TEST(Period, IsFoundInSpiteOfJitter) {
    std::mt19937 random(31);
    for (const std::size_t count : {20UL, 100UL, 5000UL}) {
        for (const double jitter : {0.0, 0.02, 0.08}) {
            const auto found = find_period(periodic(count, 7.3e6, jitter, &random));
            ASSERT_TRUE(found) << count << " " << jitter;
            EXPECT_NEAR(found->ns, 7.3e6, 7.3e6 * 0.01) << count << " " << jitter;
            EXPECT_GT(found->concentration, 0.7);
            EXPECT_LT(found->p_value, 1e-3);
        }
    }
}

TEST(Period, IsFoundAmongMissingAndForeignTimes) {
    std::mt19937 random(37);
    std::vector<std::uint64_t> times = periodic(400, 1e6, 0.02, &random);
    std::erase_if(times, [&](std::uint64_t) { return random() % 4 == 0; });
    for (int i = 0; i < 60; ++i) {
        times.push_back(1'000'000'000 + random() % 400'000'000);
    }
    std::sort(times.begin(), times.end());
    const auto found = find_period(times);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->ns, 1e6, 1e4);
}

TEST(Period, IsNotFoundInChance) {
    // 2,000 series of uniform times: at 1e-3 two alarms are expected; nine or more have a chance below 3e-4.
    std::mt19937 random(41);
    int alarms = 0;
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::uint64_t> times(16 + random() % 50);
        for (std::uint64_t& time : times) {
            time = random() % 1'000'000'000;
        }
        std::sort(times.begin(), times.end());
        alarms += find_period(times) ? 1 : 0;
    }
    EXPECT_LT(alarms, 9);
}

TEST(Period, NeedsEnoughTimes) {
    EXPECT_FALSE(find_period({}));
    EXPECT_FALSE(find_period(std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
    EXPECT_FALSE(find_period(std::vector<std::uint64_t>(50, 7)));
}

TEST(Rayleigh, AgreesWithSimulation) {
    std::mt19937 random(43);
    std::uniform_real_distribution<double> angle(0, 6.283185307179586);
    const int rounds = 20'000;
    int beyond = 0;
    for (int round = 0; round < rounds; ++round) {
        double x = 0;
        double y = 0;
        for (int i = 0; i < 20; ++i) {
            const double phase = angle(random);
            x += std::cos(phase);
            y += std::sin(phase);
        }
        beyond += std::hypot(x, y) / 20 >= 0.4 ? 1 : 0;
    }
    EXPECT_NEAR(rayleigh_p(20, 0.4), static_cast<double>(beyond) / rounds, 0.006);
    EXPECT_DOUBLE_EQ(rayleigh_p(20, 0), 1);
}

}  // namespace
}  // namespace kymo::spacetime
