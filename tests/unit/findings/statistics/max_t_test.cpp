// Nulls that respect time order: exact on small cases, alarms at the promised rate, and power where there is
// something.
#include "findings/statistics/max_t.h"

#include "findings/statistics/false_discovery.h"
#include "series.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace kymo::findings {
namespace {

using Columns = std::vector<std::vector<double>>;

TEST(ShiftTest, OfOneStreamLooksAtEveryShiftOnce) {
    // The labelled two hold the two largest of ten values: only the shift by nothing reaches that.
    const std::vector<std::uint32_t> stream(10, 0);
    const std::vector<char> label = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
    const Columns features = {{1, 2, 3, 10, 4, 5, 9, 6, 7, 8}};
    const MaxT test = shift_test({stream, label, features}, Random(1));
    EXPECT_EQ(test.permutations, 10U);
    EXPECT_DOUBLE_EQ(test.features[0].p, 0.1);
    EXPECT_DOUBLE_EQ(test.p, 0.1);
    EXPECT_DOUBLE_EQ(test.least_p, 0.1);
    EXPECT_GT(test.features[0].statistic, 0);
}

TEST(ShiftTest, AgreesWithAllShiftsOfTwoStreams) {
    // 4 × 5 shifts by brute force against drawn ones.
    const std::vector<std::uint32_t> stream = {0, 0, 0, 0, 1, 1, 1, 1, 1};
    const std::vector<char> label = {1, 0, 0, 0, 0, 1, 1, 0, 0};
    const Columns features = {{9, 2, 4, 1, 3, 8, 7, 6, 5}};
    std::size_t hits = 0;
    const auto sum_of = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            sum += label[i] != 0 ? features[0][(i + a) % 4] - 5 : 0;
        }
        for (std::size_t i = 0; i < 5; ++i) {
            sum += label[4 + i] != 0 ? features[0][4 + (i + b) % 5] - 5 : 0;
        }
        return std::abs(sum);
    };
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 5; ++b) {
            hits += sum_of(a, b) >= sum_of(0, 0) ? 1 : 0;
        }
    }
    const MaxT test = shift_test({stream, label, features}, Random(1), 20'000, kAllHits);
    EXPECT_NEAR(test.p, static_cast<double>(hits) / 20, 0.01);
    EXPECT_DOUBLE_EQ(test.least_p, 0.05);
}

TEST(ShiftTest, FindsTheFeatureThatDiffersAndNotTheOthers) {
    Random random(3);
    const std::vector<std::uint32_t> stream(120, 0);
    std::vector<char> label(120, 0);
    Columns features;
    for (int f = 0; f < 8; ++f) {
        features.push_back(stationary(120, 0.5, &random));
    }
    for (const std::size_t slow : {11U, 29U, 30U, 71U, 90U, 101U}) {
        label[slow] = 1;
        features[5][slow] += 8;
    }
    const MaxT test = shift_test({stream, label, features}, Random(1));
    EXPECT_LT(test.features[5].adjusted, 0.02);
    for (const std::size_t other : {0U, 1U, 2U, 3U, 4U, 6U, 7U}) {
        EXPECT_GT(test.features[other].adjusted, 0.05) << other;
    }
}

TEST(ShiftTest, AdjustedIsNeverBelowAloneAndGrowsAlongTheOrder) {
    Random random(4);
    const std::vector<std::uint32_t> stream(60, 0);
    std::vector<char> label(60, 0);
    label[3] = label[14] = label[15] = label[44] = 1;
    Columns features;
    for (int f = 0; f < 6; ++f) {
        features.push_back(stationary(60, 0.3, &random));
    }
    const MaxT test = shift_test({stream, label, features}, Random(1));
    std::vector<std::pair<double, double>> order;
    for (const FeatureTest& feature : test.features) {
        EXPECT_GE(feature.adjusted, feature.p);
        order.emplace_back(-std::abs(feature.statistic), feature.adjusted);
    }
    std::sort(order.begin(), order.end());
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [](auto& a, auto& b) { return a.second < b.second; }));
    EXPECT_EQ(test.p, order[0].second);
}

TEST(ShiftTest, SaysNothingWithoutBothSidesOrFeatures) {
    const std::vector<std::uint32_t> stream(5, 0);
    const Columns features = {{1, 2, 3, 4, 5}};
    EXPECT_EQ(shift_test({stream, std::vector<char>(5, 0), features}, Random(1)).p, 1);
    EXPECT_EQ(shift_test({stream, std::vector<char>(5, 1), features}, Random(1)).p, 1);
    EXPECT_EQ(shift_test({stream, std::vector<char>{1, 0, 0, 0, 0}, {}}, Random(1)).p, 1);
    EXPECT_EQ(pair_test({stream, std::vector<char>(5, 1), features}, Random(1)).p, 1);
}

TEST(ShiftTest, CountsWhatIsNotKnownAsTheMedian) {
    const std::vector<std::uint32_t> stream(8, 0);
    const std::vector<char> label = {0, 1, 0, 0, 0, 0, 0, 0};
    const double unknown = std::nan("");
    const Columns features = {{1, 9, unknown, unknown, 2, 3, 1, unknown}, std::vector<double>(8, unknown)};
    const MaxT test = shift_test({stream, label, features}, Random(1));
    EXPECT_DOUBLE_EQ(test.features[0].p, 1.0 / 8);
    EXPECT_DOUBLE_EQ(test.features[1].p, 1);
}

// Slow occurrences come in bursts, features drift: a shuffle of single occurrences would alarm in most such series.
// Promised: at most 5 % with any alarm over all features. 1,500 series at 5 %: 99.99 % of draws stay under 110.
TEST(ShiftTest, AlarmsAtThePromisedRateOnAutocorrelatedSeries) {
    Random random(0x5eed);
    for (const double memory : {0.0, 0.6, 0.9}) {
        std::size_t alarms = 0;
        for (int series = 0; series < 1500; ++series) {
            const std::vector<std::uint32_t> stream(150, 0);
            const std::vector<double> hidden = stationary(150, memory, &random);
            std::vector<char> label(150);
            std::transform(hidden.begin(), hidden.end(), label.begin(), [](double x) { return x > 1.5 ? 1 : 0; });
            Columns features;
            for (int f = 0; f < 5; ++f) {
                features.push_back(stationary(150, memory, &random));
            }
            alarms += shift_test({stream, label, features}, Random(1)).p <= 0.05 ? 1 : 0;
        }
        EXPECT_LE(alarms, 110U) << "memory " << memory;
        EXPECT_GE(alarms, 20U) << "memory " << memory;  // and it is no test that never alarms
    }
}

TEST(ShiftTest, AlarmsAtThePromisedRateOverSeveralStreams) {
    Random random(0x5eed);
    std::size_t alarms = 0;
    for (int series = 0; series < 1500; ++series) {
        std::vector<std::uint32_t> stream;
        std::vector<char> label;
        Columns features(4);
        for (std::uint32_t s = 0; s < 4; ++s) {
            const std::vector<double> hidden = stationary(40, 0.8, &random);
            const double level = normal(&random);  // threads differ, and that alone means nothing
            for (const double x : hidden) {
                stream.push_back(s);
                label.push_back(x > 1.2 ? 1 : 0);
            }
            for (auto& feature : features) {
                const std::vector<double> more = stationary(40, 0.8, &random);
                std::transform(more.begin(), more.end(), std::back_inserter(feature),
                               [&](double x) { return x + level; });
            }
        }
        alarms += shift_test({stream, label, features}, Random(1), 199).p <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(alarms, 110U);
    EXPECT_GE(alarms, 20U);
}

TEST(PairTest, TellsNeighboursApartThatAlternate) {
    // After A slow, after C fast, A S C S A S C S …: every circular shift keeps or reverses all labels.
    Random random(5);
    const std::vector<std::uint32_t> stream(60, 0);
    std::vector<char> label(60);
    Columns features = {stationary(60, 0.9, &random), stationary(60, 0.9, &random)};
    for (std::size_t i = 0; i < 60; i += 2) {
        label[i] = 1;
        features[1][i] += 3;
    }
    EXPECT_GT(shift_test({stream, label, features}, Random(1)).p, 0.4);
    const MaxT test = pair_test({stream, label, features}, Random(1));
    EXPECT_LT(test.features[1].adjusted, 0.01);
    EXPECT_GT(test.features[0].adjusted, 0.05);
}

TEST(PairTest, AlarmsAtThePromisedRate) {
    Random random(0x5eed);
    for (const double memory : {0.0, 0.9}) {
        std::size_t alarms = 0;
        for (int series = 0; series < 1500; ++series) {
            const std::vector<std::uint32_t> stream(80, 0);
            std::vector<char> label(80);
            for (std::size_t i = 0; i < 80; ++i) {
                label[i] = static_cast<char>(i % 2);
            }
            const Columns features = {stationary(80, memory, &random), stationary(80, memory, &random)};
            alarms += pair_test({stream, label, features}, Random(1), 199).p <= 0.05 ? 1 : 0;
        }
        EXPECT_LE(alarms, 110U) << "memory " << memory;
        // Neighbours that are alike make the test more careful still, not less.
        EXPECT_GE(alarms, memory == 0.0 ? 20U : 5U) << "memory " << memory;
    }
}

// Every pattern of signs by brute force against drawn ones, for numbers of pairs around the eight that are summed
// together.
TEST(PairTest, AgreesWithAllSigns) {
    Random random(0x51);
    for (const std::size_t pairs : {3U, 7U, 8U, 9U, 11U}) {
        const std::vector<std::uint32_t> stream(2 * pairs, 0);
        std::vector<char> label(2 * pairs);
        Columns features = {stationary(2 * pairs, 0, &random), stationary(2 * pairs, 0, &random)};
        for (std::size_t i = 0; i < 2 * pairs; i += 2) {
            label[i] = 1;
            features[0][i] += 0.6;
        }
        std::vector<std::vector<double>> ranks = {standard_ranks(features[0]), standard_ranks(features[1])};
        std::size_t alone = 0;
        for (std::size_t signs = 0; signs < std::size_t{1} << pairs; ++signs) {
            double observed = 0;
            double drawn = 0;
            for (std::size_t i = 0; i < pairs; ++i) {
                const double difference = ranks[0][2 * i] - ranks[0][2 * i + 1];
                observed += difference;
                drawn += (signs >> i & 1U) != 0 ? difference : -difference;
            }
            alone += std::abs(drawn) >= std::abs(observed) * (1 - 1e-9) ? 1 : 0;
        }
        const double expected = static_cast<double>(alone) / static_cast<double>(std::size_t{1} << pairs);
        for (const bool is_ranked : {false, true}) {
            const MaxT test =
                pair_test({stream, label, is_ranked ? ranks : features, is_ranked}, Random(7), 20'000, kAllHits);
            EXPECT_EQ(test.permutations, 20'000U);
            EXPECT_NEAR(test.features[0].p, expected, 0.015) << pairs;
        }
    }
}

TEST(PairTest, EndsEarlyWhereChanceDoesAsWell) {
    Random random(0x52);
    std::size_t draws = 0;
    for (int series = 0; series < 200; ++series) {
        const std::vector<std::uint32_t> stream(200, 0);
        std::vector<char> label(200);
        for (std::size_t i = 0; i < 200; i += 2) {
            label[i] = 1;
        }
        Columns features = {stationary(200, 0, &random)};
        const MaxT early = pair_test({stream, label, features}, Random(1));
        const MaxT all = pair_test({stream, label, features}, Random(1), kPermutations, kAllHits);
        draws += early.permutations;
        EXPECT_EQ(all.permutations, kPermutations);
        // The same draws as far as they go: p differs by what 30 hits leave open, four standard deviations of it.
        EXPECT_NEAR(early.p, all.p, 4 * all.p / std::sqrt(30.0) + 1e-12);
        EXPECT_EQ(early.permutations == kPermutations, all.p <= 30.0 / (kPermutations + 1));
        EXPECT_EQ(early.least_p, all.least_p);
    }
    EXPECT_LT(draws, 200 * kPermutations / 8);  // expected: 30 × (1 + ln(2000 / 30)) = 156 of 1,999
    // What is there gets all of them.
    const std::vector<std::uint32_t> stream(200, 0);
    std::vector<char> label(200);
    Columns features = {stationary(200, 0, &random)};
    for (std::size_t i = 0; i < 200; i += 2) {
        label[i] = 1;
        features[0][i] += 3;
    }
    EXPECT_EQ(pair_test({stream, label, features}, Random(1)).permutations, kPermutations);
}

TEST(ShiftedLabels, StayInTheirStreamAndKeepTheirOrder) {
    const std::vector<std::uint32_t> stream = {0, 0, 0, 0, 1, 1, 1};
    const std::vector<char> label = {1, 1, 0, 0, 0, 0, 0};
    Random random(6);
    for (int i = 0; i < 20; ++i) {
        const std::vector<char> shifted = shifted_labels(stream, label, &random);
        EXPECT_EQ(std::accumulate(shifted.begin(), shifted.begin() + 4, 0), 2);
        EXPECT_EQ(shifted[0] + shifted[2], 1);  // still neighbours, around the end
        EXPECT_EQ(std::accumulate(shifted.begin() + 4, shifted.end(), 0), 0);
    }
}

// The example of Benjamini and Hochberg (1995, 4.1): fifteen p-values, of which four stand at 5 %.
TEST(QValues, OfThePublishedExample) {
    const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                   0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    const std::vector<double> q = q_values(p);
    EXPECT_EQ(std::count_if(q.begin(), q.end(), [](double value) { return value <= 0.05; }), 4);
    EXPECT_DOUBLE_EQ(q[3], 0.0095 * 15 / 4);
    EXPECT_DOUBLE_EQ(q[14], 1);
    EXPECT_TRUE(q_values({}).empty());
}

TEST(QValues, KeepTheOrderOfTheirInput) {
    EXPECT_THAT(q_values(std::vector<double>{0.5, 0.01}), testing::ElementsAre(0.5, 0.02));
}

}  // namespace
}  // namespace kymo::findings
