// Slow against fast: found where they are, and rarely where they are not.
#include "findings/statistics/split.h"

#include "series.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

namespace kymo::findings {
namespace {

constexpr double kResolution = 0.02;

std::vector<double> durations(std::vector<double> values, double spread) {
    std::transform(values.begin(), values.end(), values.begin(),
                   [&](double x) { return 1e7 * std::exp(spread * x); });
    return values;
}

TEST(Split, FindsAFewSlowOnes) {
    Random random(1);
    std::vector<double> values = durations(stationary(120, 0, &random), 0.05);
    for (const std::size_t slow : {5U, 50U, 111U}) {
        values[slow] *= 9;
    }
    const Split split = split_slow(values, kResolution);
    EXPECT_EQ(split.slow, 3U);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(split.is_slow[i] != 0, i == 5 || i == 50 || i == 111) << i;
    }
    EXPECT_NEAR(split.slow_median / split.fast_median, 9, 1.5);
}

// As on a machine that others use as well: some take half as long again, and hide the two that the program made slow.
TEST(Split, KeepsToTheFewThatHoldNearlyAll) {
    Random random(7);
    std::vector<double> values = durations(stationary(200, 0, &random), 0.03);
    for (const std::size_t slower : {11U, 60U, 90U}) {
        values[slower] *= 1.5;
    }
    for (const std::size_t slow : {70U, 140U}) {
        values[slow] *= 10;
    }
    const Split split = split_slow(values, kResolution);
    EXPECT_EQ(split.slow, 2U);
    EXPECT_TRUE(split.is_slow[70] != 0 && split.is_slow[140] != 0);
}

TEST(Split, FindsASingleSlowOne) {
    Random random(2);
    std::vector<double> values = durations(stationary(100, 0, &random), 0.05);
    values[40] *= 3;
    const Split split = split_slow(values, kResolution);
    EXPECT_EQ(split.kind, SplitKind::kUpperTail);
    EXPECT_EQ(split.slow, 1U);
    EXPECT_EQ(split.is_slow[40], 1);
}

TEST(Split, FindsTwoGroupsOfAnySize) {
    for (const std::size_t slow : {10U, 50U, 80U}) {
        Random random(slow);
        std::vector<double> values = durations(stationary(100, 0, &random), 0.05);
        for (std::size_t i = 0; i < slow; ++i) {
            values[i] *= 2;
        }
        const Split split = split_slow(values, kResolution);
        EXPECT_EQ(split.kind, SplitKind::kTwoGroups);
        EXPECT_EQ(split.slow, slow);
    }
}

TEST(Split, LeavesAloneWhatDiffersByLessThanItsRatio) {
    std::vector<double> values(50, 1e7);
    values[3] = 1.19e7;
    EXPECT_EQ(split_slow(values, kResolution).slow, 0U);
    values[3] = 1.3e7;
    EXPECT_EQ(split_slow(values, kResolution).slow, 1U);
}

TEST(Split, KnowsWhatSamplingDoesToShortOccurrences) {
    // Of two to four samples each: the period, not the occurrence, makes the difference.
    Random random(4);
    std::vector<double> values(200);
    std::generate(values.begin(), values.end(), [&] { return static_cast<double>(2 + random.below(3)) * 1e6; });
    EXPECT_EQ(split_slow(values, 1.0 / 3).slow, 0U);
}

TEST(Split, TakesWhateverItIsGiven) {
    EXPECT_EQ(split_slow({}, kResolution).slow, 0U);
    EXPECT_EQ(split_slow(std::vector<double>{1, 1, 50}, kResolution).slow, 0U);  // under 4
    EXPECT_EQ(split_slow(std::vector<double>(10, 0.0), kResolution).slow, 0U);
    EXPECT_EQ(split_slow(std::vector<double>{0, -5, 1, 1, 1}, kResolution).slow, 0U);
    EXPECT_EQ(split_slow(std::vector<double>(10, 5.0), kResolution).slow, 0U);
}

struct Unremarkable {
    const char* name;
    std::function<std::vector<double>(std::size_t, Random*)> make;
};

class SplitAlarms : public testing::TestWithParam<Unremarkable> {};

// Promised: at most 1 % of such series. Held with the error of the count: of 3,000 at 1 %, 99.99 % of draws stay
// under 53.
TEST_P(SplitAlarms, AreRare) {
    constexpr std::size_t kSeries = 3000;
    constexpr std::size_t kMost = 53;
    Random random(0x5eed);
    for (const std::size_t count : {5U, 8U, 12U, 20U, 60U, 250U, 1000U}) {
        std::size_t alarms = 0;
        const std::size_t series = count > 100 ? kSeries / 5 : kSeries;
        for (std::size_t i = 0; i < series; ++i) {
            alarms += split_slow(GetParam().make(count, &random), kResolution).slow != 0 ? 1 : 0;
        }
        EXPECT_LE(alarms, count > 100 ? kMost / 3 : kMost) << count << " values";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, SplitAlarms,
    testing::Values(
        Unremarkable{"independent", [](std::size_t n, Random* r) { return durations(stationary(n, 0, r), 0.1); }},
        Unremarkable{"wide", [](std::size_t n, Random* r) { return durations(stationary(n, 0, r), 0.8); }},
        Unremarkable{"autocorrelated",
                     [](std::size_t n, Random* r) { return durations(stationary(n, 0.8, r), 0.2); }},
        Unremarkable{"uniform",
                     [](std::size_t n, Random* r) {
                         std::vector<double> values(n);
                         std::generate(values.begin(), values.end(), [&] { return 1e6 * (1 + r->uniform()); });
                         return values;
                     }},
        Unremarkable{"exponential",
                     [](std::size_t n, Random* r) {
                         std::vector<double> values(n);
                         std::generate(values.begin(), values.end(),
                                       [&] { return -1e6 * std::log(1 - r->uniform()); });
                         return values;
                     }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kymo::findings
