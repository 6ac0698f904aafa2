#include "spacetime/evidence/operands/shared_lines.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

// Threads 0 and 1 of process 0, 2 of process 1.
Profile three_threads() {
    Profile profile;
    profile.threads.resize(3);
    profile.threads[2].process = 1;
    return profile;
}

constexpr std::uint64_t kFirst = 0xff;
constexpr std::uint64_t kSecond = 0xff00;

struct Uses {
    std::vector<MemoryUse> all;
    std::uint32_t rows = 0;

    // Twice, at `time` and 10 ns later.
    void add(std::uint32_t thread, std::uint64_t bytes, std::uint64_t time, bool writes, std::uint64_t line = 7) {
        for (const std::uint64_t at : {time, time + 10}) {
            all.push_back({line, bytes, at, thread, thread, ++rows, writes});
        }
    }
    SharedLines find() const { return find_shared_lines(three_threads(), 3, all); }
};

TEST(SharedLines, AreFalseWhereTheBytesAreOthers) {
    Uses uses;
    uses.add(0, kFirst, 100, true);
    uses.add(1, kSecond, 105, false);
    const SharedLines lines = uses.find();
    ASSERT_EQ(lines.falsely.size(), 1U);
    EXPECT_EQ(lines.falsely[0].address, 7U * 64);
    EXPECT_EQ(lines.falsely[0].samples, 4U);
    EXPECT_EQ(lines.falsely[0].threads, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(lines.false_rows, (std::vector<std::uint32_t>{2, 2, 0}));
}

TEST(SharedLines, AreNotFalseWhereBytesAreShared) {
    Uses uses;
    uses.add(0, kFirst, 100, true);
    uses.add(1, kFirst | kSecond, 105, true);
    EXPECT_TRUE(uses.find().falsely.empty());
}

TEST(SharedLines, NeedAChange) {
    Uses uses;
    uses.add(0, kFirst, 100, false);
    uses.add(1, kSecond, 105, false);
    EXPECT_TRUE(uses.find().falsely.empty());
}

TEST(SharedLines, NeedTheSameTime) {
    Uses uses;
    uses.add(0, kFirst, 100, true);
    uses.add(1, kSecond, 200, true);
    EXPECT_TRUE(uses.find().falsely.empty());
}

TEST(SharedLines, AreOfOneProcess) {
    Uses uses;
    uses.add(0, kFirst, 100, true);
    uses.add(2, kSecond, 105, true);
    EXPECT_TRUE(uses.find().falsely.empty());
}

TEST(SharedLines, NeedMoreThanOneUse) {
    Uses uses;
    uses.add(0, kFirst, 100, true);
    uses.all.push_back({7, kSecond, 105, 1, 1, 9, true});
    EXPECT_TRUE(uses.find().falsely.empty());
}

TEST(SharedLines, CountARowOnce) {
    Uses uses;
    uses.add(0, kFirst, 100, true);
    uses.add(1, kSecond, 105, true);
    MemoryUse again = uses.all.front();
    again.is_written = false;
    uses.all.push_back(again);  // read and written by one instruction
    EXPECT_EQ(uses.find().false_rows, (std::vector<std::uint32_t>{2, 2, 0}));
}

TEST(StreamOperands, AreAddressesAndDenormals) {
    OperandUses uses;
    uses.of_address = {0, kNone};
    program::OperandUse use;
    use.memory_operands = 2;
    use.memory[0] = {.base = 1, .index = 2, .scale = 8, .width = 8, .is_written = true, .displacement = -8};
    use.memory[1] = {.width = 4, .is_read = true, .image_relative = true, .displacement = 0x40};
    use.doubles = 1U << 3;
    uses.uses = {use};
    OperandSums sums;
    sums.rows.resize(1);
    sums.denormals.resize(1);
    StreamOperands stream(uses, 5, 3, sums);
    const std::vector<std::uint64_t> values = {0, 0x10000, 2, 0x7000'0123};  // the last is the program counter
    recording::SampleOperands row;
    row.values = values;
    row.denormals = 1U << 3;
    stream.sample(0, 0x123, 42);
    stream.operands(row);
    row.denormals = std::uint64_t{1} << 35U;  // a float, which the instruction does not compute with
    stream.operands(row);
    stream.sample(1, 0x200, 43);
    stream.operands(row);
    EXPECT_EQ(sums.rows[0], 2U);
    EXPECT_EQ(sums.denormals[0], 1U);
    ASSERT_EQ(sums.memory.size(), 3U);  // the most
    EXPECT_EQ(sums.memory[0].line, (0x10000U + 8) / 64);
    EXPECT_EQ(sums.memory[0].bytes, 0xff00U);
    EXPECT_TRUE(sums.memory[0].is_written);
    EXPECT_EQ(sums.memory[0].time, 42U);
    EXPECT_EQ(sums.memory[0].thread, 5U);
    EXPECT_EQ(sums.memory[1].line, 0x7000'0040U / 64);
    EXPECT_EQ(sums.memory[1].bytes, 0xfU);
    EXPECT_FALSE(sums.memory[1].is_written);
}

}  // namespace
}  // namespace kymo::spacetime
