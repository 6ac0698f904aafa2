// Sums by bin against the same sums one bin at a time.
#include "spacetime/evidence/account/time_grid.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kBegin = 1'000;
constexpr std::uint64_t kEnd = 200'000;

struct Stay {
    std::uint64_t from;
    std::uint64_t to;
};

// Short ones, ones of many bins, and some that begin before the grid or end behind it.
std::vector<Stay> intervals(std::uint32_t seed, std::size_t count) {
    std::mt19937 random(seed);
    std::vector<Stay> all;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t from = random() % (kEnd + 5'000);
        all.push_back({from, from + random() % (i % 2 == 0 ? 40 : 90'000)});
    }
    return all;
}

std::int64_t common(const Stay& one, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = std::max({one.from, begin, kBegin});
    const std::uint64_t to = std::min(one.to, end);
    return from < to ? static_cast<std::int64_t>(to - from) : 0;
}

void expect_sums(const TimeGrid& grid, std::size_t row, const std::vector<Stay>& all) {
    for (std::size_t bin = 0; bin < grid.bins(); ++bin) {
        const std::uint64_t begin = kBegin + bin * grid.width();
        const std::uint64_t end = bin + 1 == grid.bins() ? ~std::uint64_t{0} : begin + grid.width();
        std::int64_t sum = 0;
        for (const Stay& one : all) {
            sum += common(one, begin, end);
        }
        ASSERT_EQ(grid.at(row, bin), sum) << "bin " << bin;
    }
}

TEST(TimeGrid, HasTheTimeOfEachBin) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        TimeGrid grid(kBegin, kEnd, std::size_t{1} << 14U);  // 128 bins
        const auto all = intervals(seed, 200);
        for (const Stay& one : all) {
            grid.add(3, one.from, one.to);
        }
        grid.settle();
        expect_sums(grid, 3, all);
    }
}

TEST(TimeGrid, IsTheSameFromParts) {
    const auto all = intervals(21, 300);
    TimeGrid whole(kBegin, kEnd, std::size_t{1} << 14U);
    TimeGrid part = whole;
    for (std::size_t i = 0; i < all.size(); ++i) {
        (i % 3 == 0 ? whole : part).add(0, all[i].from, all[i].to);
    }
    part.add(1, all[0].from, all[0].to);
    whole.merge(std::move(part));
    whole.settle();
    expect_sums(whole, 0, all);
    expect_sums(whole, 1, {all[0]});
    expect_sums(whole, 2, {});
}

TEST(TimeGrid, MeansAreExactAtTheEdgesOfBins) {
    TimeGrid grid(kBegin, kEnd, std::size_t{1} << 14U);
    const std::uint64_t width = grid.width();
    grid.add(0, kBegin, kBegin + 3 * width);
    grid.add(0, kBegin + width, kBegin + 2 * width);
    grid.settle();
    EXPECT_DOUBLE_EQ(grid.mean(0, kBegin, kBegin + width), 1);
    EXPECT_DOUBLE_EQ(grid.mean(0, kBegin + width, kBegin + 2 * width), 2);
    EXPECT_DOUBLE_EQ(grid.mean(0, kBegin, kBegin + 4 * width), 1);
    EXPECT_DOUBLE_EQ(grid.mean(1, kBegin, kEnd), 0) << "a row without any time";
}

}  // namespace
}  // namespace kymo::spacetime
