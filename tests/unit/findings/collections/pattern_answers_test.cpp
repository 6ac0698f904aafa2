// Code patterns: the same code beside different neighbours, what was counted over it there, and where that differs.
#include "stored_program.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::collections {
namespace {

using spacetime::CodePattern;
using spacetime::kAnyNeighbour;

enum Number : std::uint32_t { kMain, kS, kA, kB, kC, kD };

// Ten times a (5 ms) → s (10 ms, 200 misses each) → b (5 ms), and c → s (12 ms, 50 each, a packet) → d in turn.
// Functions of one instruction: a pair of samples of two of them is half and half, and counts where it ends, so that
// code as a space has the times that the function has.
spacetime::Evidence in_turn() {
    StoredProgram program({straight("main", 16), straight("s", 1), straight("a", 1), straight("b", 1),
                           straight("c", 1), straight("d", 1)});
    const auto spend = [&](std::size_t function, int samples, std::uint64_t misses, std::uint64_t packets) {
        for (int i = 0; i < samples; ++i) {
            program.sample(function, 0, misses, i == 0 ? packets : 0);
        }
    };
    for (int round = 0; round < 20; ++round) {
        const bool is_first = round % 2 == 0;
        spend(is_first ? kA : kC, 5, 0, 0);
        spend(kS, is_first ? 10 : 12, is_first ? 200 : 50, is_first ? 0 : 1);
        spend(is_first ? kB : kD, 5, 0, 0);
    }
    return program.evidence();
}

// Null: there is none.
const CodePattern* find(const std::vector<CodePattern>& patterns, std::uint32_t before, std::uint32_t node,
                        std::uint32_t after) {
    const auto found = std::find_if(patterns.begin(), patterns.end(), [&](const CodePattern& pattern) {
        return pattern.before == before && pattern.node == node && pattern.after == after;
    });
    return found == patterns.end() ? nullptr : &*found;
}

// Of functions, and of their code as spaces.
struct Level {
    const std::vector<CodePattern>& patterns;
    std::uint32_t s, a, b, c, d;
};
std::vector<Level> levels_of(const spacetime::Evidence& evidence) {
    const auto node = [&](const char* name) { return node_of(evidence, name); };
    const auto group = [&](Number function) { return group_of(evidence, {address(function), address(function, 1)}); };
    return {{evidence.patterns, node("s"), node("a"), node("b"), node("c"), node("d")},
            {evidence.same_spaces[group(kS)].patterns, group(kS), group(kA), group(kB), group(kC), group(kD)}};
}

TEST(Patterns, KeptIsTheSameCodeByItsNeighbours) {
    const spacetime::Evidence evidence = in_turn();
    for (const Level& level : levels_of(evidence)) {
        const CodePattern* first = find(level.patterns, level.a, level.s, level.b);
        const CodePattern* second = find(level.patterns, level.c, level.s, level.d);
        ASSERT_TRUE(first != nullptr && second != nullptr);
        EXPECT_EQ(first->durations.count, 10U);
        EXPECT_EQ(first->durations.total, 100 * kMs);
        EXPECT_EQ(first->durations.longest, 10 * kMs);
        EXPECT_EQ(second->durations.count, 10U);
        EXPECT_EQ(second->durations.total, 120 * kMs);
        EXPECT_EQ(second->durations.shortest, 12 * kMs);
        EXPECT_EQ(find(level.patterns, level.a, level.s, level.d), nullptr);
        EXPECT_EQ(find(level.patterns, level.c, level.s, level.b), nullptr);
        // By one neighbour alone.
        const CodePattern* behind = find(level.patterns, level.a, level.s, kAnyNeighbour);
        const CodePattern* ahead = find(level.patterns, kAnyNeighbour, level.s, level.d);
        ASSERT_TRUE(behind != nullptr && ahead != nullptr);
        EXPECT_EQ(behind->durations, first->durations);
        EXPECT_EQ(ahead->durations, second->durations);
    }
    // Behind b comes c, behind d a; behind the last d nothing.
    const Level functions = levels_of(evidence)[0];
    EXPECT_EQ(find(functions.patterns, functions.s, functions.b, functions.c)->durations.count, 10U);
    EXPECT_EQ(find(functions.patterns, functions.s, functions.d, functions.a)->durations.count, 9U);
    EXPECT_EQ(find(functions.patterns, functions.s, functions.d, spacetime::kStreamEdge)->durations.count, 1U);
}

TEST(Patterns, HaveTheirEventsInEachNeighbourhood) {
    const spacetime::Evidence evidence = in_turn();
    for (const Level& level : levels_of(evidence)) {
        const CodePattern* first = find(level.patterns, level.a, level.s, level.b);
        const CodePattern* second = find(level.patterns, level.c, level.s, level.d);
        ASSERT_TRUE(first != nullptr && second != nullptr);
        EXPECT_EQ(first->samples, 100U);
        EXPECT_EQ(first->terms.user, ms(100));
        EXPECT_EQ(first->deltas, (std::vector<std::int64_t>{ms(100), 20'000, 0}));  // 10 · 10 · 200
        EXPECT_EQ(second->samples, 120U);
        EXPECT_EQ(second->terms.user, ms(120));
        EXPECT_EQ(second->deltas, (std::vector<std::int64_t>{ms(120), 6000, 10}));  // 10 · 12 · 50
        EXPECT_EQ(find(level.patterns, level.c, level.s, kAnyNeighbour)->deltas, second->deltas);
        EXPECT_EQ(find(level.patterns, kAnyNeighbour, level.s, level.b)->deltas, first->deltas);
    }
}

// 100 rounds of a, s, b or c, s, d, of 5, 10 and 5 ms: 2 s. All have 1,000 misses a sample but s, which has 4,000
// behind a and 400 behind c.
findings::Judgement judged_behind_c(int every) {
    StoredProgram program({straight("main", 16), straight("s", 32), straight("a", 32), straight("b", 32),
                           straight("c", 32), straight("d", 32)});
    for (int round = 0; round < 100; ++round) {
        const bool is_c = round % every == every - 1;
        program.run(is_c ? kC : kA, 5, 1000);
        program.run(kS, 10, is_c ? 400 : 4000);
        program.run(is_c ? kD : kB, 5, 1000);
    }
    return findings::judge(program.evidence());
}

// In turn, 50 times each: 36,000 misses more, 120 ns each at the most: 4.32 ms, 50 times 216 ms of 2 s, of which a
// quarter is sure. It takes no longer there; and the rest of the program has nearly as many (1,000 a ms against
// 2,200).
TEST(Patterns, DefectIsAnEventOfOneNeighbourhood) {
    const findings::Judgement judgement = judged_behind_c(2);
    ASSERT_EQ(judgement.findings.size(), 1U);
    const findings::Finding& finding = judgement.findings[0];
    expect_told(finding,
                "`s` has 10× more LLC-load-misses after `a` (50 times, 40,000 each) than otherwise (50 times, 4,000 "
                "each): that costs up to 216 ms. The data this code touches is not in the cache.",
                {"s", 0.216, 0.108, 0.027,
                 "restore what the other neighbours leave behind; or walk memory in order, make the records smaller, "
                 "block the loops, or prefetch"});
    ASSERT_EQ(finding.when.size(), 50U);
    EXPECT_EQ(finding.when[1].begin, (2 * 20 + 5) * kMs);
    EXPECT_EQ(finding.when[1].end, (2 * 20 + 15) * kMs);
}

// Every fourth time behind c: 36,000 misses fewer save 4.32 ms, 25 times 108 ms of 2 s.
TEST(Patterns, AdvantageIsAnEventThatOneNeighbourhoodHasFewerOf) {
    const findings::Judgement judgement = judged_behind_c(4);
    ASSERT_EQ(judgement.advantages.size(), 1U);
    expect_told(judgement.advantages[0],
                "`s` has 10× fewer LLC-load-misses after `c` (25 times, 4,000 each) than otherwise (75 times, "
                "40,000 each): that saves up to 108 ms.",
                {"s", 0.108, 0.054, 0.0135, "what this neighbour leaves behind is worth having elsewhere as well"});
}

}  // namespace
}  // namespace kymo::collections
