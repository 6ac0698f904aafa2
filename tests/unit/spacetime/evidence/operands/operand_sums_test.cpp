#include "spacetime/evidence/operands/operand_sums.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLoad = 2;
constexpr std::uint64_t kStore = 4;

// Two addresses: of the first one the code is known, which writes 4 bytes; of the second nothing is.
OperandUses two_uses() {
    OperandUses uses;
    uses.of_address = {0, 1};
    uses.uses.resize(2);
    uses.uses[0].memory_operands = 1;
    uses.uses[0].memory[0].width = 4;
    uses.uses[0].memory[0].is_written = true;
    return uses;
}

recording::MemoryAccess used(std::uint64_t address, std::uint64_t source) {
    recording::MemoryAccess row;
    row.address = address;
    row.source = source;
    return row;
}

TEST(StreamOperands, TakeAccessesWithTheWidthOfTheInstruction) {
    const OperandUses uses = two_uses();
    OperandSums sums{.rows = {0, 0}, .denormals = {0, 0}, .memory = {}};
    StreamOperands stream(uses, 3, 10, sums);
    stream.sample(0, 0x10, 500);
    stream.access(used(0x10004, kStore));
    stream.sample(1, 0x20, 600);
    stream.access(used(0x1000c, kLoad));
    ASSERT_EQ(sums.memory.size(), 2U);
    EXPECT_EQ(sums.memory[0].line, 0x10000U / kLineBytes);
    EXPECT_EQ(sums.memory[0].bytes, 0xf0U);
    EXPECT_TRUE(sums.memory[0].is_written);
    EXPECT_EQ(sums.memory[0].thread, 3U);
    EXPECT_EQ(sums.memory[0].time, 500U);
    EXPECT_EQ(sums.memory[1].bytes, 0xff00U) << "the whole word";
    EXPECT_FALSE(sums.memory[1].is_written);
    EXPECT_EQ(sums.rows, (std::vector<std::uint32_t>{1, 1}));
}

TEST(StreamOperands, TakeNoAccessOfNothing) {
    const OperandUses uses = two_uses();
    OperandSums sums{.rows = {0, 0}, .denormals = {0, 0}, .memory = {}};
    StreamOperands stream(uses, 0, 1, sums);
    stream.access(used(0x10004, kStore));  // before any sample
    stream.sample(0, 0x10, 1);
    stream.access(used(8, kStore));  // in no page
    EXPECT_TRUE(sums.memory.empty());
    stream.access(used(0x10004, 0));  // of unknown kind: the instruction writes
    stream.access(used(0x10004, kStore));
    EXPECT_EQ(sums.memory.size(), 1U) << "one is the most";
    EXPECT_TRUE(sums.memory[0].is_written);
    EXPECT_EQ(sums.rows[0], 2U);
}

}  // namespace
}  // namespace kymo::spacetime
