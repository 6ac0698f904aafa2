// Late ticks against made clocks of which it is known when the processor was away.
#include "spacetime/load/late_ticks.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kPeriod = 1'000'000;

std::int64_t taken(const std::vector<std::uint64_t>& clock) {
    LateTicks ticks(kPeriod);
    std::uint64_t now = 0;
    for (const std::uint64_t passed : clock) {
        now += passed;
        ticks.add(now, passed);
    }
    std::int64_t sum = 0;
    for (const TakenTime& each : ticks.take()) {
        sum += each.ns;
    }
    return sum;
}

TEST(LateTicks, OnTheGridNothingIsTaken) {
    EXPECT_EQ(taken({400'000, 1'000'100, 999'900, 1'000'300, 2'000'100, 1'000'000, 3'000'000}), 0);
}

TEST(LateTicks, ALateTickIsKnownByTheEarlyOneBehindIt) {
    EXPECT_EQ(taken({1'000'000, 1'000'000, 1'400'000}), 0);
    EXPECT_EQ(taken({1'000'000, 1'000'000, 1'400'000, 600'000}), 1'000'000);
    EXPECT_EQ(taken({1'000'000, 1'000'000, 1'400'000, 1'200'000, 400'000}), 2'000'000);
    EXPECT_EQ(taken({1'000'000, 1'000'000, 3'400'000, 600'000}), 3'000'000) << "two more were due meanwhile";
}

// In the kernel ticks deliver no sample: four of five are missing here, whether the fifth is late or not.
TEST(LateTicks, InTheKernelsOwnTimeStandForThemselves) {
    std::vector<std::uint64_t> clock;
    for (int i = 0; i < 20; ++i) {
        clock.insert(clock.end(), {5'000'000, 5'000'000, 5'400'000, 4'600'000});
    }
    EXPECT_EQ(taken(clock), 20 * 1'000'000);
}

TEST(LateTicks, StandsWhereTheTickCame) {
    LateTicks ticks(kPeriod);
    std::uint64_t now = 0;
    for (const std::uint64_t passed : {1'000'000, 1'000'000, 1'400'000, 1'200'000, 400'000, 1'000'000}) {
        now += passed;
        ticks.add(now, passed);
    }
    EXPECT_EQ(ticks.take(), (std::vector<TakenTime>{{3'400'000, 1'000'000}, {4'600'000, 1'000'000}}));
    ticks.add(now + 1'400'000, 1'400'000);
    ticks.pause();
    ticks.add(now + 2'000'000, 600'000);
    ticks.add(now + 2'600'000, 600'000);
    EXPECT_TRUE(ticks.take().empty());
}

TEST(LateTicks, TwoMayBeLateByTheSame) {
    EXPECT_EQ(taken({1'000'000, 1'000'000, 1'330'000, 1'001'000, 670'000}), 2'000'000);
}

TEST(LateTicks, AGridThatMovedIsNoLateTick) {
    EXPECT_EQ(taken({1'000'000, 1'000'000, 1'400'000, 1'000'000, 1'000'000, 1'000'000}), 0);
    EXPECT_EQ(taken({1'000'000, 1'000'000, 700'000, 1'000'000, 1'000'000}), 0) << "nor one that moved to earlier";
}

TEST(LateTicks, WhatTheKernelDelaysIsNotTaken) {
    EXPECT_EQ(taken({1'000'000, 1'020'000, 980'000, 1'129'000, 871'000}), 0);
}

TEST(LateTicks, PeriodsTooShortToTellAreLeftAlone) {
    LateTicks fast(100'000);
    LateTicks none(0);
    for (int i = 0; i < 100; ++i) {
        fast.add(0, i % 2 == 0 ? 190'000 : 10'000);
        none.add(0, 1'000'000);
    }
    EXPECT_TRUE(fast.take().empty());
    EXPECT_TRUE(none.take().empty());
}

TEST(LateTicks, AnyClockIsServed) {
    LateTicks ticks(kPeriod);
    std::mt19937_64 random(3);
    for (int i = 0; i < 100'000; ++i) {
        ticks.add(random(), random() >> (random() % 64));
    }
    for (const TakenTime& taken : ticks.take()) {
        EXPECT_GT(taken.ns, 0);
    }
}

// Absences of random lengths at random moments: the estimate is within a few of its standard errors of the truth.
TEST(LateTicks, TheShareOfLateTicksIsTheShareOfTimeAway) {
    for (const double mean_away : {0.3e6, 0.8e6, 3e6}) {
        std::mt19937_64 random(11);
        std::exponential_distribution<double> at_work(1 / (4 * mean_away));
        std::exponential_distribution<double> away(1 / mean_away);
        // The thread's clock goes on while it is away. A tick that is due then comes at the end of the absence; the
        // grid stays.
        std::vector<std::uint64_t> ticks;
        std::uint64_t now = 0;
        std::uint64_t due = kPeriod;
        std::uint64_t away_ns = 0;
        while (now < 20'000 * kPeriod) {
            const std::uint64_t leaves = now + 1 + static_cast<std::uint64_t>(at_work(random));
            for (; due < leaves; due += kPeriod) {
                ticks.push_back(due);
            }
            now = leaves + 1 + static_cast<std::uint64_t>(away(random));
            away_ns += now - leaves;
            if (due < now) {
                ticks.push_back(now);
                due += ((now - due) / kPeriod + 1) * kPeriod;
            }
        }
        std::vector<std::uint64_t> clock;
        for (std::size_t i = 1; i < ticks.size(); ++i) {
            clock.push_back(ticks[i] - ticks[i - 1]);
        }
        const double share = static_cast<double>(away_ns) / static_cast<double>(now);
        // Of absences of exponential length what is left of them at a tick is exponential again. Beyond whole periods
        // too little of some is left, and some end just before the next tick: these look as if in time.
        const auto beyond = [&](double ns) { return std::exp(-ns / mean_away); };
        static_assert(LateTicks::kEarly < kPeriod / 8);
        const double told = (beyond(LateTicks::kLate) - beyond(kPeriod - LateTicks::kEarly)) / (1 - beyond(kPeriod));
        EXPECT_NEAR(static_cast<double>(taken(clock)) / static_cast<double>(now), share * told, 0.08 * share)
            << mean_away;
    }
}

}  // namespace
}  // namespace kymo::spacetime
