#include "spacetime/evidence/occurrences/level_occurrences.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

constexpr std::uint32_t kA = 0;
constexpr std::uint32_t kB = 1;

// Runs of samples, 1 ms each, one letter a sample: 'A', 'B', '.' own code of the parent, '-' outside.
std::vector<LevelOccurrence> occurrences_of(const std::string& samples) {
    LevelOccurrences level;
    std::vector<LevelOccurrence> result;
    Moment now{.time = 0, .sums = SumRow(kFirstCounter)};
    const auto emit = [&](const LevelOccurrence& occurrence) { result.push_back(occurrence); };
    for (const char sample : samples) {
        level.switch_to(sample == 'A'   ? kA
                        : sample == 'B' ? kB
                        : sample == '.' ? kParentItself
                                        : kOutside,
                        now, emit);
        now.time += 1'000'000;
        ++now.sums[kSumSamples];
        now.sums[kSumUser] += 1'000'000;
    }
    level.finish(now, emit);
    return result;
}

TEST(LevelOccurrences, AnOccurrenceIsARunOfSamples) {
    const auto occurrences = occurrences_of("AAABBAAAA");
    ASSERT_EQ(occurrences.size(), 3U);
    EXPECT_EQ(occurrences[0].node, kA);
    EXPECT_EQ(occurrences[0].end.time, 3'000'000U);
    EXPECT_EQ(occurrences[1].node, kB);
    EXPECT_EQ(occurrences[1].begin.time, 3'000'000U);
    EXPECT_EQ(occurrences[1].samples(), 2);
    EXPECT_EQ(occurrences[2].samples(), 4);
}

TEST(LevelOccurrences, NeighboursAreOccurrencesOfTheSameLevel) {
    const auto occurrences = occurrences_of("AAAABBBB----AAAA");
    ASSERT_EQ(occurrences.size(), 4U);
    EXPECT_EQ(occurrences[0].before, kStreamEdge);
    EXPECT_EQ(occurrences[0].after, kB);
    EXPECT_EQ(occurrences[1].before, kA);
    EXPECT_EQ(occurrences[1].after, kOutside);
    EXPECT_EQ(occurrences[3].before, kOutside);
    EXPECT_EQ(occurrences[3].after, kStreamEdge);
}

TEST(LevelOccurrences, OneStraySampleBetweenTwoLongRunsIsBridged) {
    const auto occurrences = occurrences_of("AAAABAAAA");
    ASSERT_EQ(occurrences.size(), 1U);
    EXPECT_EQ(occurrences[0].samples(), 9);
    EXPECT_EQ(occurrences[0].bridged, 1U);
}

TEST(LevelOccurrences, TwoStraySamplesOrShortSidesAreNot) {
    EXPECT_EQ(occurrences_of("AAAABBAAAA").size(), 3U);
    EXPECT_EQ(occurrences_of("AAABAAAA").size(), 3U);
}

TEST(LevelOccurrences, ShortOwnCodeIsNoNeighbourLongIs) {
    const auto looked_through = occurrences_of("AAAAA..BBBBB");
    ASSERT_EQ(looked_through.size(), 2U);
    EXPECT_EQ(looked_through[0].after, kB);
    EXPECT_EQ(looked_through[1].begin.time, 7'000'000U);  // its time is nobody's
    const auto neighbour = occurrences_of("AAAAA....BBBBB");
    ASSERT_EQ(neighbour.size(), 3U);
    EXPECT_EQ(neighbour[0].after, kParentItself);
}

// A moves on to B and back while no sample is taken: only a wait there says that B was visited.
TEST(LevelOccurrences, WhatHasNeitherSampleNorWaitIsNoOccurrence) {
    for (const bool waits : {false, true}) {
        LevelOccurrences level;
        std::vector<LevelOccurrence> occurrences;
        Moment now{.time = 0, .sums = SumRow(kFirstCounter)};
        const auto stay = [&](std::uint32_t node, std::int64_t samples, SumColumn column) {
            level.switch_to(node, now, [&](const LevelOccurrence& occurrence) { occurrences.push_back(occurrence); });
            now.time += 5'000'000;
            now.sums[kSumSamples] += samples;
            now.sums[column] += 5'000'000;
        };
        stay(kA, 2, kSumUser);
        stay(kB, 0, waits ? kSumWaiting : kSumOther);
        stay(kA, 2, kSumUser);
        stay(kOutside, 0, kSumOther);  // the time outside is one all the same
        stay(kA, 3, kSumUser);
        level.finish(now, [&](const LevelOccurrence& occurrence) { occurrences.push_back(occurrence); });
        std::vector<std::uint32_t> nodes;
        for (const LevelOccurrence& occurrence : occurrences) {
            nodes.push_back(occurrence.node);
        }
        EXPECT_EQ(nodes, waits ? (std::vector<std::uint32_t>{kA, kB, kA, kOutside, kA})
                               : (std::vector<std::uint32_t>{kA, kA, kOutside, kA}));
    }
}

// A sample in a child is one that was there, however long its neighbours in own code or outside are.
TEST(LevelOccurrences, ASampleInAChildIsNotBridged) {
    for (const char around : {'-', '.'}) {
        const std::string side(9, around);
        const auto occurrences = occurrences_of(side + "A" + side);
        ASSERT_EQ(occurrences.size(), 3U) << around;
        EXPECT_EQ(occurrences[1].node, kA);
        EXPECT_EQ(occurrences[1].samples(), 1);
    }
}

// As the pure form (occurrences.h) has it, on sequences at random, but for own code that is looked through.
TEST(LevelOccurrences, AgreesWithOccurrencesOfWholeStreams) {
    std::uint32_t state = 1;
    for (int round = 0; round < 500; ++round) {
        std::string samples;
        for (int i = 0; i < 80; ++i) {
            state = state * 1664525U + 1013904223U;
            samples += state >> 28U < 3 || samples.empty() ? "AB-"[(state >> 8U) % 3] : samples.back();
        }
        Stretches runs(0);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const std::uint32_t node = samples[i] == 'A' ? kA : samples[i] == 'B' ? kB : kNone;
            add_sample(&runs, {i * 1'000'000, (i + 1) * 1'000'000, node, {}});
        }
        const Stretches expected = occurrences(runs);
        const auto found = occurrences_of(samples);
        ASSERT_EQ(found.size(), expected.size()) << samples;
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].node, expected.node[i] == kNone ? kOutside : expected.node[i]) << samples;
            EXPECT_EQ(found[i].begin.time, expected.begin[i]) << samples;
            EXPECT_EQ(found[i].end.time, expected.end[i]) << samples;
            EXPECT_EQ(found[i].bridged, expected.bridged[i]) << samples;
        }
    }
}

}  // namespace
}  // namespace kymo::spacetime
