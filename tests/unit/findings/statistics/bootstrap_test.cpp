#include "findings/statistics/bootstrap.h"

#include "series.h"

#include <gtest/gtest.h>
#include <numeric>

namespace kymo::findings {
namespace {

TEST(SumLowerBound, OfValuesThatDoNotVaryIsTheSum) {
    EXPECT_DOUBLE_EQ(sum_lower_bound(std::vector<double>(10, 4.0), Random(1)), 40);
    EXPECT_DOUBLE_EQ(sum_lower_bound(std::vector<double>{3, 5}, Random(1)), 8);
    EXPECT_DOUBLE_EQ(sum_lower_bound({}, Random(1)), 0);
}

TEST(SumLowerBound, IsNeverAboveTheSum) {
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        const std::vector<double> values = stationary(3 + random.below(30), 0, &random);
        EXPECT_LE(sum_lower_bound(values, random), std::accumulate(values.begin(), values.end(), 0.0) + 1e-12);
    }
}

// 95 % one-sided: the expected sum lies above it in about that share of samples; percentile bootstraps fall a little
// short.
TEST(SumLowerBound, CoversAsPromised) {
    Random random(2);
    int above = 0;
    for (int i = 0; i < 1000; ++i) {
        std::vector<double> values = stationary(30, 0, &random);
        for (double& value : values) {
            value += 5;
        }
        above += sum_lower_bound(values, Random(static_cast<std::uint64_t>(i))) <= 150 ? 1 : 0;
    }
    EXPECT_GE(above, 910);
    EXPECT_LE(above, 980);
}

TEST(SumLowerBound, OfManyValuesIsCloseToTheirSum) {
    Random random(3);
    std::vector<double> values = stationary(20'000, 0, &random);
    for (double& value : values) {
        value += 5;
    }
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    EXPECT_LE(sum_lower_bound(values, Random(1)), sum);
    EXPECT_GE(sum_lower_bound(values, Random(1)), 0.95 * sum);
}

}  // namespace
}  // namespace kymo::findings
