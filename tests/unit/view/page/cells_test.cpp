#include "view/page/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

namespace kymo::view {
namespace {

using ::testing::ElementsAre;

TEST(Cells, APieceIsCutAtBins) {
    ThreadCells cells(10, 0);
    cells.add(5, 27, 8);
    cells.add(27, 29, 16);
    const CellLevel level = cells.finish();
    EXPECT_THAT(level.bin, ElementsAre(0, 1, 2, 2));
    EXPECT_THAT(level.key, ElementsAre(8, 8, 8, 16));
    EXPECT_THAT(level.ns, ElementsAre(5, 10, 7, 2));
}

TEST(Cells, ComingBackInOneBinIsOneCell) {
    ThreadCells cells(100, 0);
    cells.add(0, 10, 8);
    cells.add(10, 20, 16);
    cells.add(20, 50, 8);
    const CellLevel level = cells.finish();
    EXPECT_THAT(level.key, ElementsAre(8, 16));
    EXPECT_THAT(level.ns, ElementsAre(40, 10));
}

// Keys: leaf 1 in state 0 is 8, leaf 2 in state 1 is 17; state 5 is not known.
TEST(Cells, WhatIsKnownOfABinStandsForAllOfIt) {
    ThreadCells cells(100, 1);
    const std::uint64_t three[] = {3};
    cells.count(0, 10, 8, three);
    cells.add(0, 10, 8);
    cells.add(10, 40, 17);
    cells.add(40, 250, 5);
    cells.add(250, 300, 8);
    const CellLevel level = fill_unknown(cells.finish(), 5);
    // Of 100 ns 10 and 30 are known: 25 and 75. Nothing is known of the next: as before. Then all is one.
    EXPECT_THAT(level.bin, ElementsAre(0, 0, 1, 1, 2));
    EXPECT_THAT(level.key, ElementsAre(8, 17, 8, 17, 8));
    EXPECT_THAT(level.ns, ElementsAre(25, 75, 25, 75, 100));
    EXPECT_THAT(level.events[0], ElementsAre(7, 0, 7, 0, 0));
    EXPECT_THAT(level.first, ElementsAre(0, 5));
}

TEST(Cells, OfWhichNothingIsKnownStaysSo) {
    ThreadCells cells(100, 0);
    cells.add(20, 120, 5);
    cells.add(120, 130, 8);
    const CellLevel level = fill_unknown(cells.finish(), 5);
    EXPECT_THAT(level.bin, ElementsAre(0, 1));
    EXPECT_THAT(level.key, ElementsAre(5, 8));
    EXPECT_THAT(level.ns, ElementsAre(80, 30));
}

TEST(Cells, CountsAreSpreadEvenlyAndWhole) {
    ThreadCells cells(10, 1);
    const std::uint64_t seven[] = {7};
    cells.count(5, 35, 8, seven);
    cells.add(5, 35, 8);
    const CellLevel level = cells.finish();
    EXPECT_THAT(level.bin, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(std::accumulate(level.events[0].begin(), level.events[0].end(), std::uint64_t{0}), 7U);
    EXPECT_LE(level.events[0][0], 2U);
    EXPECT_GE(level.events[0][1], 2U);
}

// Whatever the pieces: sums by key hold at every width, bins are in order, and no bin holds more than its width.
TEST(Cells, SumsHoldAtEveryWidth) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const std::uint64_t width = 1 + random() % 50;
        ThreadCells cells(width, 1);
        std::map<std::uint32_t, std::uint64_t> ns;
        std::map<std::uint32_t, std::uint64_t> counts;
        std::uint64_t at = random() % 100;
        for (int piece = 0; piece < 60; ++piece) {
            const std::uint64_t end = at + random() % 120;
            const auto key = static_cast<std::uint32_t>(random() % 5 * 8);
            const std::uint64_t count[] = {random() % 9};
            if (end > at) {
                cells.count(at, end, key, count);
                counts[key] += count[0];
            }
            cells.add(at, end, key);
            ns[key] += end - at;
            at = end;
        }
        const CellLevel one = cells.finish();
        CellLevel level = join(std::vector<CellLevel>{one}, width, 1);
        for (const std::uint64_t factor : {1, 2, 4, 3}) {
            level = coarser(level, factor);
            std::map<std::uint32_t, std::uint64_t> seen;
            std::map<std::uint32_t, std::uint64_t> seen_counts;
            std::map<std::uint64_t, std::uint64_t> of_bin;
            for (std::size_t cell = 0; cell < level.size(); ++cell) {
                seen[level.key[cell]] += level.ns[cell];
                seen_counts[level.key[cell]] += level.events[0][cell];
                of_bin[level.bin[cell]] += level.ns[cell];
                if (cell > 0) {
                    ASSERT_LE(std::pair(level.bin[cell - 1], level.key[cell - 1]),
                              std::pair(level.bin[cell], level.key[cell]));
                }
            }
            for (const auto& [key, sum] : ns) {
                ASSERT_EQ(seen[key], sum) << "seed " << seed << " factor " << factor;
                ASSERT_EQ(seen_counts[key], counts[key]) << "seed " << seed << " factor " << factor;
            }
            for (const auto& [bin, sum] : of_bin) {
                ASSERT_LE(sum, level.width);
            }
        }
    }
}

}  // namespace
}  // namespace kymo::view
