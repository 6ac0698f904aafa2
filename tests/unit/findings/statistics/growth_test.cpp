// Growth over the rest of a program's work: what each shape of a run gives.
#include "findings/statistics/growth.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::findings {
namespace {

// A run of `items` items that each take `rest` beside a function that takes cost(item), in `batches` equal times.
struct MadeTimes {
    std::vector<std::int64_t> code;
    std::vector<std::int64_t> rest;
};

MadeTimes run_of(std::size_t items, double rest, const std::function<double(double)>& cost) {
    constexpr std::size_t kBatches = 64;
    double all = 0;
    for (std::size_t item = 0; item < items; ++item) {
        all += rest + cost(static_cast<double>(item));
    }
    std::vector<double> code(kBatches);
    std::vector<double> beside(kBatches);
    double time = 0;
    for (std::size_t item = 0; item < items; ++item) {
        const auto batch = std::min(kBatches - 1, static_cast<std::size_t>(time / all * kBatches));
        const double own = cost(static_cast<double>(item));
        code[batch] += own;
        beside[batch] += rest;
        time += rest + own;
    }
    MadeTimes made;
    for (std::size_t batch = 0; batch < kBatches; ++batch) {
        made.code.push_back(static_cast<std::int64_t>(code[batch]));
        made.rest.push_back(static_cast<std::int64_t>(beside[batch]));
    }
    return made;
}

Growth of(const MadeTimes& made) {
    return growth_of(made.code, made.rest);
}

TEST(Growth, OfAFunctionThatPassesAllEarlierItems) {
    const Growth growth = of(run_of(100'000, 1'000, [](double item) { return item / 10; }));
    EXPECT_TRUE(growth.grows);
    // Means over the eighths: a sixteenth, and fifteen sixteenths, of the last item's 10,000, times 12,500 items.
    EXPECT_NEAR(growth.first, 625 * 12'500.0, 0.1 * 625 * 12'500);
    EXPECT_NEAR(growth.last, 9'375 * 12'500.0, 0.05 * 9'375 * 12'500);
    // All of it but eight times the first.
    EXPECT_NEAR(growth.grown, (5'000 - 625) * 100'000.0, 0.05 * 4'375 * 100'000);
}

TEST(Growth, BesideWorkThatWasDoneBefore) {
    // The first quarter of the other work is preparation.
    EXPECT_TRUE(of(run_of(100'000, 1'000, [](double item) { return std::max(0.0, item - 25'000) / 5; })).grows);
}

TEST(Growth, NotOfConstantCostNorOfPhases) {
    EXPECT_FALSE(of(run_of(100'000, 1'000, [](double) { return 3'000; })).grows);
    EXPECT_FALSE(of(run_of(100'000, 1'000, [](double item) { return item < 50'000 ? 100 : 6'000; })).grows);
    EXPECT_FALSE(of(run_of(100'000, 1'000, [](double item) { return item < 80'000 ? 100 : 6'000; })).grows);
}

TEST(Growth, NotOfWhatFillsCachesOrWarmsUp) {
    EXPECT_FALSE(of(run_of(100'000, 1'000, [](double item) { return 200 * std::log2(2 + item); })).grows);
    EXPECT_FALSE(of(run_of(100'000, 1'000, [](double item) { return item < 30'000 ? item / 10 : 3'000; })).grows);
    EXPECT_FALSE(of(run_of(100'000, 1'000, [](double item) { return (100'000 - item) / 10; })).grows);
}

TEST(Growth, NotWithoutOtherWork) {
    const std::vector<std::int64_t> code = {1, 2, 3, 4};
    EXPECT_FALSE(growth_of(code, std::vector<std::int64_t>(4)).grows);
    EXPECT_FALSE(growth_of({}, {}).grows);
}

}  // namespace
}  // namespace kymo::findings
