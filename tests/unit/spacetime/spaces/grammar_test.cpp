#include "spacetime/spaces/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace kymo::spacetime {
namespace {

using testing::ElementsAre;
using Sequence = std::vector<std::uint32_t>;

Sequence unfolded(const Grammar& grammar) {
    Sequence all;
    for (const std::uint32_t symbol : grammar.start) {
        if (symbol == kSeparator) {
            all.push_back(symbol);
            continue;
        }
        const Sequence part = grammar.expand(symbol, 1U << 20U);
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

TEST(Grammar, WhatRepeatsIsARule) {
    // abc abc abd: ab three times, abc twice.
    const Grammar grammar = compress(Sequence{0, 1, 2, 0, 1, 2, 0, 1, 3});
    ASSERT_EQ(grammar.rules.size(), 2U);
    EXPECT_EQ(grammar.rules[0], std::pair(0U, 1U));
    EXPECT_EQ(grammar.uses[0], 3U);
    EXPECT_THAT(grammar.expand(grammar.first_rule + 1, 10), ElementsAre(0, 1, 2));
    EXPECT_EQ(grammar.uses[1], 2U);
    EXPECT_EQ(unfolded(grammar), (Sequence{0, 1, 2, 0, 1, 2, 0, 1, 3}));
}

TEST(Grammar, ARunOfOneSymbolIsHalvedNotOverlapped) {
    const Grammar grammar = compress(Sequence(8, 5));
    EXPECT_EQ(grammar.uses[0], 4U);
    EXPECT_EQ(unfolded(grammar), Sequence(8, 5));
}

TEST(Grammar, NothingReachesAcrossASeparator) {
    const Grammar grammar = compress(Sequence{0, kSeparator, 1, 0, kSeparator, 1, 0});
    ASSERT_EQ(grammar.rules.size(), 1U);
    EXPECT_EQ(grammar.rules[0], std::pair(1U, 0U));
    EXPECT_THAT(grammar.start, ElementsAre(0, kSeparator, 2, kSeparator, 2));
}

TEST(Grammar, UnfoldsToWhatItWasMadeFrom) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        Sequence sequence(random() % 200);
        for (std::uint32_t& symbol : sequence) {
            symbol = random() % 20 == 0
                         ? kSeparator
                         : static_cast<std::uint32_t>(random() % (1 + static_cast<unsigned>(round) % 5));
        }
        const Grammar grammar = compress(sequence);
        ASSERT_EQ(unfolded(grammar), sequence);
        // No pair is left twice (but where it overlaps itself).
        for (std::size_t i = 0; i + 1 < grammar.start.size(); ++i) {
            for (std::size_t k = i + 2; k + 1 < grammar.start.size(); ++k) {
                ASSERT_FALSE(grammar.start[i] != kSeparator && grammar.start[i + 1] != kSeparator &&
                             grammar.start[i] == grammar.start[k] && grammar.start[i + 1] == grammar.start[k + 1])
                    << "round " << round;
            }
        }
    }
}

TEST(Grammar, EmptyAndSingle) {
    EXPECT_TRUE(compress({}).start.empty());
    EXPECT_THAT(compress(Sequence{3}).start, ElementsAre(3));
}

TEST(Grammar, PrimitiveRoot) {
    const Sequence repeated = {1, 2, 1, 2, 1, 2};
    EXPECT_EQ(primitive_root(repeated).size(), 2U);
    const Sequence not_repeated = {1, 2, 1};
    EXPECT_EQ(primitive_root(not_repeated).size(), 3U);
    EXPECT_EQ(primitive_root(Sequence{}).size(), 0U);
}

}  // namespace
}  // namespace kymo::spacetime
