// Clocks of runs whose phases are known.
#include "compare/align.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace kymo::compare {
namespace {

struct Phase {
    const char* function;
    double ms;
};

// A run of one thread that is in one function at a time, in bins of 2 ms; `noise`: the share of each bin that is
// another's.
Timeline run_of(const std::vector<Phase>& phases, double noise = 0, unsigned seed = 1) {
    constexpr double kBin = 2e6;
    Timeline run;
    for (const Phase& phase : phases) {
        run.duration_ns += phase.ms * 1e6;
        if (std::find(run.functions.begin(), run.functions.end(), phase.function) == run.functions.end()) {
            run.functions.emplace_back(phase.function);
        }
    }
    run.bins = static_cast<std::size_t>(run.duration_ns / kBin);
    run.ns.assign(run.functions.size(), std::vector<double>(run.bins));
    std::mt19937 random(seed);
    double at = 0;
    for (const Phase& phase : phases) {
        const auto row = static_cast<std::size_t>(
            std::find(run.functions.begin(), run.functions.end(), phase.function) - run.functions.begin());
        const auto first = static_cast<std::size_t>(at * 1e6 / kBin);
        at += phase.ms;
        for (std::size_t bin = first; bin < static_cast<std::size_t>(at * 1e6 / kBin); ++bin) {
            const double other = noise * static_cast<double>(random() % 1000) / 1000;
            run.ns[row][bin] += (1 - other) * kBin;
            run.ns[random() % run.ns.size()][bin] += other * kBin;
        }
    }
    return run;
}

std::vector<std::pair<int, int>> points_of(const Alignment& made) {
    std::vector<std::pair<int, int>> points;
    for (const ClockPoint& point : made.points) {
        points.emplace_back(static_cast<int>(point.base_ns / 1e6 + 0.5),
                            static_cast<int>(point.other_ns / 1e6 + 0.5));
    }
    return points;
}

using Points = std::vector<std::pair<int, int>>;

TEST(Align, EqualRunsHaveEqualClocks) {
    const Timeline run = run_of({{"read", 100}, {"solve", 200}, {"write", 60}});
    const Alignment made = align(run, run);
    EXPECT_EQ(points_of(made), (Points{{0, 0}, {100, 100}, {300, 300}, {360, 360}}));
    EXPECT_NEAR(made.distance, 0, 1e-6);
    EXPECT_TRUE(made.is_matched);
}

TEST(Align, OnlyThePhaseThatTakesLongerIsStretched) {
    const Alignment made = align(run_of({{"read", 100}, {"solve", 50}, {"write", 100}}),
                                 run_of({{"read", 100}, {"solve", 100}, {"write", 100}}));
    EXPECT_EQ(points_of(made), (Points{{0, 0}, {100, 100}, {150, 200}, {250, 300}}));
    EXPECT_NEAR(made.distance, 0, 1e-6);
}

TEST(Align, RepeatedPhasesAreMatchedInTheirOrder) {
    const Alignment made = align(run_of({{"work", 40}, {"swap", 20}, {"work", 40}, {"swap", 20}, {"work", 40}}),
                                 run_of({{"work", 40}, {"swap", 20}, {"work", 80}, {"swap", 20}, {"work", 40}}));
    EXPECT_EQ(points_of(made), (Points{{0, 0}, {40, 40}, {60, 60}, {100, 140}, {120, 160}, {160, 200}}));
}

TEST(Align, WhatIsInOneRunAloneTakesNoTimeOfTheOther) {
    const Timeline base = run_of({{"read", 100}, {"write", 100}});
    const Timeline other = run_of({{"read", 100}, {"check", 60}, {"write", 100}});
    EXPECT_EQ(points_of(align(base, other)), (Points{{0, 0}, {100, 100}, {100, 160}, {200, 260}}));
    EXPECT_EQ(points_of(align(other, base)), (Points{{0, 0}, {100, 100}, {160, 100}, {260, 200}}));
}

TEST(Align, AProgramThatDoesOneThingIsStretchedEvenly) {
    EXPECT_EQ(points_of(align(run_of({{"solve", 200}}), run_of({{"solve", 300}}))), (Points{{0, 0}, {200, 300}}));
}

TEST(Align, ToleratesSamplesThatComeByChance) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Alignment made = align(run_of({{"read", 200}, {"solve", 100}, {"write", 200}}, 0.3, seed),
                                     run_of({{"read", 200}, {"solve", 180}, {"write", 200}}, 0.3, seed + 100));
        // Wherever it puts a point, it is one of the true clocks; and where the longer phase begins and ends there
        // are.
        bool has_begin = false;
        bool has_end = false;
        for (const auto& [at, in_other] : points_of(made)) {
            const double expected = at <= 200 ? at : at <= 300 ? 200 + (at - 200) * 1.8 : at + 80;
            EXPECT_NEAR(in_other, expected, 8) << at << " of " << seed;
            has_begin = has_begin || std::abs(at - 200) <= 4;
            has_end = has_end || std::abs(at - 300) <= 4;
        }
        EXPECT_TRUE(has_begin && has_end) << seed;
    }
}

TEST(Align, UnlikeRunsHaveTheirEndsInCommon) {
    const Alignment made = align(run_of({{"read", 100}, {"solve", 100}}), run_of({{"draw", 100}, {"play", 100}}));
    EXPECT_NEAR(made.distance, 1, 1e-6);
    EXPECT_FALSE(made.is_matched);
    EXPECT_EQ(points_of(made), (Points{{0, 0}, {200, 200}}));
}

TEST(Align, RunsWithoutBins) {
    Timeline none;
    none.duration_ns = 5e6;
    EXPECT_EQ(points_of(align(none, run_of({{"solve", 200}}))), (Points{{0, 0}, {5, 200}}));
    EXPECT_EQ(points_of(align(none, none)), (Points{{0, 0}, {5, 5}}));
    // Bins in which nothing happened.
    none.bins = 10;
    EXPECT_EQ(points_of(align(none, none)), (Points{{0, 0}, {5, 5}}));
}

}  // namespace
}  // namespace kymo::compare
