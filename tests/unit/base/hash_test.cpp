#include "base/hash.h"

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <unordered_set>

namespace kymo {
namespace {

// The published generator's first outputs for the state 0, which it moves on by the golden ratio before it mixes.
TEST(Hash, MixIsTheFinaliserOfSplitMix64) {
    constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
    EXPECT_EQ(mix(kStep), 0xe220a8397b1dcdafULL);
    EXPECT_EQ(mix(kStep * 2), 0x6e789e6aa1b965f4ULL);
    EXPECT_EQ(mix(kStep * 3), 0x06c45d188009454fULL);
}

TEST(Hash, EveryBitMovesAboutHalfOfTheResult) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        int moved = 0;
        for (std::uint64_t value = 1; value <= 256; ++value) {
            moved += std::popcount(mix(value) ^ mix(value ^ std::uint64_t{1} << bit));
        }
        EXPECT_NEAR(moved / 256.0, 32.0, 2.0) << bit;
    }
}

// What the tables hold: small numbers side by side, and addresses that differ in a few bits.
TEST(Hash, PairsOfNeighboursDiffer) {
    std::unordered_set<std::uint64_t> seen;
    for (std::uint64_t first = 0; first < 256; ++first) {
        for (std::uint64_t second = 0; second < 256; ++second) {
            seen.insert(hash_of(first, 0x7f0000000000ULL + second * 16));
        }
    }
    EXPECT_EQ(seen.size(), 256U * 256U);
}

}  // namespace
}  // namespace kymo
