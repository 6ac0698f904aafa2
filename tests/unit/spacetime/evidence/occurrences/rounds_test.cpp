#include "spacetime/evidence/occurrences/rounds.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

// One letter an occurrence, with its length in ms.
OccurrenceSequence sequence_of(const std::vector<std::pair<char, std::uint64_t>>& occurrences) {
    OccurrenceSequence sequence;
    std::uint64_t now = 0;
    for (const auto& [letter, ms] : occurrences) {
        const std::uint32_t node = letter == '-' ? kOutside : static_cast<std::uint32_t>(letter - 'A');
        sequence.add({now, now + ms * 1'000'000, node, static_cast<std::uint32_t>(ms)}, 1U << 16U);
        now += ms * 1'000'000;
    }
    return sequence;
}

Rounds rounds_of(const OccurrenceSequence& sequence) {
    const OccurrenceSequence* const all[] = {&sequence};
    return find_rounds(all).front();
}

TEST(Rounds, OfAProgramWithThreePhases) {
    std::vector<std::pair<char, std::uint64_t>> occurrences = {{'D', 40}};
    for (int i = 0; i < 10; ++i) {
        occurrences.insert(occurrences.end(), {{'A', 10}, {'B', 20}, {'C', 5}});
    }
    const Rounds found = rounds_of(sequence_of(occurrences));
    ASSERT_EQ(found.rounds.size(), 10U);
    EXPECT_EQ(found.rounds[0].begin, 40'000'000U);
    EXPECT_EQ(found.rounds[0].end, 75'000'000U);
    EXPECT_EQ(found.rounds[9].end, 390'000'000U);
    EXPECT_EQ(found.covered_ns, 350'000'000U);
    EXPECT_DOUBLE_EQ(found.evenness, 1);
}

TEST(Rounds, OneSlowRoundInAHundredDoesNotHideThem) {
    std::vector<std::pair<char, std::uint64_t>> occurrences;
    for (int i = 0; i < 100; ++i) {
        occurrences.insert(occurrences.end(), {{'A', i == 57 ? 300U : 10U}, {'B', 20}});
    }
    const Rounds found = rounds_of(sequence_of(occurrences));
    EXPECT_EQ(found.rounds.size(), 100U);
    EXPECT_DOUBLE_EQ(found.evenness, 1);
}

TEST(Rounds, NothingRepeats) {
    EXPECT_TRUE(rounds_of(sequence_of({{'A', 10}, {'B', 10}, {'C', 10}, {'D', 10}})).rounds.empty());
    EXPECT_TRUE(rounds_of(sequence_of({{'A', 10}, {'B', 10}, {'A', 10}})).rounds.empty());
    EXPECT_TRUE(rounds_of(sequence_of({})).rounds.empty());
}

// What was begun when the thread went elsewhere is no round to compare with: nobody knows how long it would have
// been.
TEST(Rounds, OneThatIsCutShortIsNone) {
    std::vector<std::pair<char, std::uint64_t>> occurrences;
    for (int stretch = 0; stretch < 6; ++stretch) {
        for (int i = 0; i < 7; ++i) {
            occurrences.insert(occurrences.end(), {{'A', 20}, {'B', 8}, {'C', 1}});
        }
        occurrences.insert(occurrences.end(), {{'A', 20}, {'-', 3}});
    }
    const Rounds found = rounds_of(sequence_of(occurrences));
    EXPECT_EQ(found.rounds.size(), 42U);
    for (const Round& round : found.rounds) {
        EXPECT_EQ(round.end - round.begin, 29'000'000U);
    }
}

TEST(Rounds, DoNotReachAcrossTimeElsewhere) {
    std::vector<std::pair<char, std::uint64_t>> occurrences;
    for (int i = 0; i < 12; ++i) {
        occurrences.insert(occurrences.end(), {{'A', 10}, {'B', 10}});
        if (i == 5) {
            occurrences.emplace_back('-', 500);
        }
    }
    const Rounds found = rounds_of(sequence_of(occurrences));
    ASSERT_EQ(found.rounds.size(), 12U);
    EXPECT_EQ(found.rounds[5].end - found.rounds[5].begin, 20'000'000U);
    EXPECT_EQ(found.covered_ns, 240'000'000U);
}

TEST(OccurrenceSequence, LooksAtTheWholeWithACoarserEyeWhenItIsFull) {
    OccurrenceSequence sequence;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        sequence.add({i * 10, i * 10 + 10, 0, i % 10 == 0 ? 100U : 1U}, 200);
    }
    EXPECT_EQ(sequence.entries().size(), 100U);  // the long ones, from the beginning to the end
    EXPECT_EQ(sequence.entries().front().begin, 0U);
    EXPECT_EQ(sequence.entries().back().begin, 9900U);
    EXPECT_EQ(sequence.least_samples(), 2U);
}

}  // namespace
}  // namespace kymo::spacetime
