#include "spacetime/spaces/executed.h"

#include "drawn_graph.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

class Executed : public testing::Test {
  protected:
    // 0 → {1, 2} → 3 → 0 (four instructions each: 0x1000, 0x1010, 0x1020, 0x1030); 4 returns
    FunctionFlow flow_{draw({4, 4, 4, 4, 4}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0}, {3, 4}})};
    PairRule rule_{flow_};
    std::function<PairRule*(std::uint64_t)> function_at_ = [this](std::uint64_t address) {
        return address >= 0x1000 && address < 0x1050 ? &rule_ : nullptr;
    };
};

TEST_F(Executed, RangesReplaceGuesses) {
    // From 0x1008: jump at 0x100c to block 2, which falls into 3, back at 0x103c to 0.
    const std::vector<TakenBranch> branches = {{0x100c, 0x1020}, {0x103c, 0x1000}};
    const ExecutedSpaces found = executed_spaces(0x1008, 0x1004, branches, true, function_at_);
    ASSERT_EQ(found.spaces.size(), 1U);
    EXPECT_EQ(found.broken, 0U);
    EXPECT_EQ(found.spaces[0].pairs,
              (std::vector<AddressPair>{{0x1008, 0x100c}, {0x1020, 0x103c}, {0x1000, 0x1004}}));
    EXPECT_EQ(found.spaces[0].instructions, (2 + 8 + 2) * kInstruction);
    EXPECT_FALSE(found.spaces[0].uncertain);
    EXPECT_TRUE(found.guessed.spaces.empty());
    // The pair alone could only guess between blocks 1 and 2.
    EXPECT_EQ(rule_.between(0x1008, 0x1004).rule, PairCase::kSeveralPaths);
}

TEST_F(Executed, BeforeTheStackBeginsThePairRuleGuesses) {
    const ExecutedSpaces found =
        executed_spaces(0x1008, 0x1004, std::vector<TakenBranch>{{0x103c, 0x1000}}, false, function_at_);
    ASSERT_EQ(found.spaces.size(), 1U);
    EXPECT_EQ(found.spaces[0].pairs, (std::vector<AddressPair>{{0x1000, 0x1004}}));
    EXPECT_EQ(found.guessed.rule, PairCase::kSeveralPaths);
    EXPECT_EQ(found.guessed.spaces[0].instructions, (2 + 4) * kInstruction);
}

TEST_F(Executed, StretchesThatCannotHaveRunAreLeftOut) {
    // From block 1 straight to block 4 there are jumps; 0x9000 is in no function; backwards is no stretch.
    const std::vector<TakenBranch> branches = {{0x1008, 0x1010}, {0x1044, 0x9000}, {0x9010, 0x1008}};
    const ExecutedSpaces found = executed_spaces(0x1008, 0x1004, branches, true, function_at_);
    EXPECT_EQ(found.broken, 3U);
    ASSERT_EQ(found.spaces.size(), 1U);
    EXPECT_EQ(found.spaces[0].pairs, (std::vector<AddressPair>{{0x1008, 0x1008}}));
}

TEST_F(Executed, WithoutBranchesItRanStraight) {
    EXPECT_EQ(executed_spaces(0x1004, 0x100c, {}, true, function_at_).spaces[0].instructions, 3 * kInstruction);
}

}  // namespace
}  // namespace kymo::spacetime
