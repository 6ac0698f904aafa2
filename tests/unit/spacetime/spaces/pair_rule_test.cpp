#include "spacetime/spaces/pair_rule.h"

#include "drawn_graph.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using Pairs = std::vector<AddressPair>;
using Ranges = std::vector<ByteRange>;

// Blocks of 4 instructions: 0x1000, 0x1010, 0x1020 …
TEST(PairRule, NoJumpBetweenIsOneSpace) {
    const FunctionFlow flow(draw({4, 4}, {{0, 1}}));  // falls through: a join, no jump
    PairRule rule(flow);
    PairSpaces found = rule.between(0x1004, 0x100c);
    EXPECT_EQ(found.rule, PairCase::kNoJump);
    ASSERT_EQ(found.spaces.size(), 1U);
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{0x1004, 0x100c}}));
    EXPECT_EQ(found.spaces[0].ranges, (Ranges{{0x1004, 0x1010}}));
    EXPECT_EQ(found.spaces[0].instructions, 3 * kInstruction);

    found = rule.between(0x1008, 0x1014);  // over the join
    EXPECT_EQ(found.rule, PairCase::kNoJump);
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{0x1008, 0x1014}}));
    EXPECT_EQ(found.spaces[0].instructions, 4 * kInstruction);
    EXPECT_EQ(found.spaces[0].parts, (std::vector<BlockPart>{{0, 2 * kInstruction}, {1, 2 * kInstruction}}));

    found = rule.between(0x1004, 0x1004);  // the same instruction twice: that instruction
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{0x1004, 0x1004}}));
    EXPECT_EQ(found.spaces[0].instructions, kInstruction);

    found = rule.between(0x1006, 0x100b);  // inside instructions: their beginnings
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{0x1004, 0x1008}}));
    EXPECT_EQ(rule.cached_block_pairs(), 0U);
}

TEST(PairRule, OnePathIsSplitAtItsJumps) {
    // 0 → 2 → 3 (falls through) → 5; 1 and 4 are elsewhere
    const FunctionFlow flow(draw({4, 4, 4, 4, 4, 4}, {{0, 2}, {2, 3}, {3, 5}, {1, 4}}));
    PairRule rule(flow);
    const PairSpaces found = rule.between(0x1008, 0x1054);
    EXPECT_EQ(found.rule, PairCase::kOnePath);
    ASSERT_EQ(found.spaces.size(), 1U);
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{0x1008, 0x100c}, {0x1020, 0x103c}, {0x1050, 0x1054}}));
    EXPECT_EQ(found.spaces[0].ranges, (Ranges{{0x1008, 0x1010}, {0x1020, 0x1040}, {0x1050, 0x1058}}));
    EXPECT_EQ(found.spaces[0].instructions, (2 + 8 + 2) * kInstruction);
    EXPECT_FALSE(found.spaces[0].uncertain);
}

TEST(PairRule, AJumpNotTakenSplitsToo) {
    const FunctionFlow flow(draw({4, 4, 4}, {{0, 1}, {0, 2}, {1, 0}}));  // 0 conditionally to 2
    PairRule rule(flow);
    const PairSpaces found = rule.between(0x1008, 0x1014);
    EXPECT_EQ(found.rule, PairCase::kSeveralPaths);  // straight on, or a round more by 1 → 0
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{0x1008, 0x100c}, {0x1010, 0x1014}}));
    EXPECT_EQ(found.spaces[0].ranges, (Ranges{{0x1008, 0x1018}}));
}

TEST(PairRule, SeveralPathsHaveACommonSpaceAndAnUncertainRest) {
    // 0 → {1 (2 instructions), 2 (6)} → 3 → {4 (8), or nothing} → 5
    const FunctionFlow flow(draw({4, 2, 6, 4, 8, 4}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {4, 5}}));
    PairRule rule(flow);
    const PairSpaces found = rule.between(at(flow, 0, 1), at(flow, 5, 2));
    EXPECT_EQ(found.rule, PairCase::kSeveralPaths);
    ASSERT_EQ(found.spaces.size(), 2U);
    const CodeSpace& common = found.spaces[0];
    EXPECT_EQ(common.instructions, (3 + 4 + 3) * kInstruction);
    EXPECT_EQ(common.pairs, (Pairs{{at(flow, 0, 1), at(flow, 0, 3)},
                                   {at(flow, 3, 0), at(flow, 3, 3)},
                                   {at(flow, 5, 0), at(flow, 5, 2)}}));
    EXPECT_FALSE(common.uncertain);
    const CodeSpace& rest = found.spaces[1];
    EXPECT_TRUE(rest.uncertain);
    EXPECT_EQ(rest.instructions, (1 + 3 + 4) * kInstruction);  // (2 + 6) / 2 and 8 / 2
    EXPECT_EQ(rest.parts, (std::vector<BlockPart>{{1, kInstruction}, {2, 3 * kInstruction}, {4, 4 * kInstruction}}));
    EXPECT_EQ(rest.pairs.size(), 3U);  // none of them goes on in the next
    EXPECT_FALSE(found.approximate);
}

TEST(PairRule, BackwardsThroughALoopTakesTheBackEdgeOnce) {
    // 1 (header) → {2, 3} → 4 → 1, 4 → 5
    const FunctionFlow flow(draw({4, 4, 2, 4, 4, 4}, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}}));
    PairRule rule(flow);
    // From the latch to the header: nothing else, for what lies in the loop would need the back edge twice.
    PairSpaces found = rule.between(at(flow, 4, 2), at(flow, 1, 1));
    EXPECT_EQ(found.rule, PairCase::kOnePath);
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{at(flow, 4, 2), at(flow, 4, 3)}, {at(flow, 1, 0), at(flow, 1, 1)}}));
    // Within one block, backwards: once around, by 2 or 3.
    found = rule.between(at(flow, 4, 3), at(flow, 4, 0));
    EXPECT_EQ(found.rule, PairCase::kSeveralPaths);
    EXPECT_EQ(found.spaces[0].instructions, (1 + 4 + 1) * kInstruction);
    EXPECT_EQ(found.spaces[1].instructions, 3 * kInstruction);
    // From one side to the other: by latch and header; the first side may come again, the second round not.
    found = rule.between(at(flow, 2, 0), at(flow, 3, 0));
    EXPECT_EQ(found.rule, PairCase::kOnePath);
    EXPECT_EQ(found.spaces[0].instructions, (2 + 4 + 4 + 1) * kInstruction);
}

TEST(PairRule, NoPathCutsAtTheBlocks) {
    // 0 → {1, 2}: neither leads to the other
    const FunctionFlow flow(draw({4, 4, 4}, {{0, 1}, {0, 2}}));
    PairRule rule(flow);
    const PairSpaces found = rule.between(0x1018, 0x1024);
    EXPECT_EQ(found.rule, PairCase::kNoPath);
    ASSERT_EQ(found.spaces.size(), 2U);
    EXPECT_EQ(found.spaces[0].pairs, (Pairs{{0x1018, 0x101c}}));
    EXPECT_EQ(found.spaces[1].pairs, (Pairs{{0x1020, 0x1024}}));
    EXPECT_EQ(rule.between(0x1008, 0x1004).rule, PairCase::kNoPath);                     // backwards without a loop
    EXPECT_EQ(rule.between(0x1018, 0x9000).spaces[1].pairs, (Pairs{{0x9000, 0x9000}}));  // in no known block
    EXPECT_EQ(rule.between(0x1018, 0x9000).spaces[1].instructions, kInstruction);
}

TEST(PairRule, RemembersBlockPairs) {
    const FunctionFlow flow(draw({4, 4, 4}, {{0, 2}, {1, 2}}));
    PairRule rule(flow);
    for (std::uint64_t a = 0x1000; a < 0x1010; a += 4) {
        for (std::uint64_t b = 0x1020; b < 0x1030; b += 4) {
            rule.between(a, b);
        }
    }
    EXPECT_EQ(rule.cached_block_pairs(), 1U);
}

TEST(PairRule, ExecutedCodeGoesPastConditionalJumpsAlone) {
    // 0 conditionally to 2, 1 → 0 always; 2 falls through to 3.
    const FunctionFlow flow(draw({4, 4, 4, 4}, {{0, 1}, {0, 2}, {1, 0}, {2, 3}}));
    const PairRule rule(flow);
    const CodeSpace found = rule.executed(0x1008, 0x1014);
    EXPECT_EQ(found.pairs, (Pairs{{0x1008, 0x100c}, {0x1010, 0x1014}}));
    EXPECT_EQ(found.ranges, (Ranges{{0x1008, 0x1018}}));
    EXPECT_EQ(found.instructions, 4 * kInstruction);
    EXPECT_EQ(rule.executed(0x1024, 0x1034).instructions, 5 * kInstruction) << "a join alone";
    EXPECT_TRUE(rule.executed(0x1014, 0x1024).pairs.empty()) << "1 always jumps";
    EXPECT_TRUE(rule.executed(0x1014, 0x1010).pairs.empty());
    EXPECT_TRUE(rule.executed(0x1014, 0x9000).pairs.empty());
}

}  // namespace
}  // namespace kymo::spacetime
