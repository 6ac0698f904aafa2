// Machine code: words as ptxas 13 makes them, and a whole cubin of a kernel of this project
// (tests/unit/gpu/ptx/rows.cu, ptxas -arch=sm_80 -lineinfo).
#include "gpu/sass/code.h"

#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

namespace kymo::gpu::sass {
namespace {

using ::testing::HasSubstr;

Instruction decoded(std::uint64_t low, std::uint64_t high, unsigned capability, std::uint64_t pc = 0) {
    std::array<std::uint8_t, kInstructionBytes> bytes;
    std::memcpy(bytes.data(), &low, 8);
    std::memcpy(bytes.data() + 8, &high, 8);
    return decode_instruction(bytes, pc, capability);
}

TEST(Decode, ControlBits) {
    // @!PT … R2 is loaded: stall 1, raises barrier 3.
    const Instruction load = decoded(0x0000000402037981, 0x000ee2000c1e1900, 90);
    EXPECT_EQ(load.opcode, "LDG.E");
    EXPECT_EQ(load.control, (IssueControl{true, 1, 3, 7, 0}));
    EXPECT_FALSE(load.guarded);
    // FADD waits for barrier 3.
    const Instruction add = decoded(0x0000000304097221, 0x008fca0000000000, 90);
    EXPECT_EQ(add.opcode, "FADD");
    EXPECT_EQ(add.control, (IssueControl{true, 5, 7, 7, 0x08}));
    // STG raises barrier 0 until its operands are read.
    const Instruction store = decoded(0x0000000d04007986, 0x0001ee000c101906, 90);
    EXPECT_EQ(store.opcode, "STG.E");
    EXPECT_EQ(store.control, (IssueControl{true, 7, 7, 0, 0}));
}

TEST(Decode, JumpsOfBothForms) {
    const Instruction old = decoded(0x00000d4000008947, 0x000fea0003800000, 80, 0x180);
    EXPECT_EQ(old.opcode, "BRA");
    EXPECT_EQ(old.way, Way::kJump);
    EXPECT_TRUE(old.guarded);
    EXPECT_EQ(old.target, 0xed0U);
    EXPECT_EQ(decoded(0xfffff96000001947, 0x000fea000383ffff, 80, 0x8d0).target, 0x240U);
    EXPECT_EQ(decoded(0x0000000c00548947, 0x000fea0003800000, 90, 0x1c0).target, 0xf20U);
    const Instruction itself = decoded(0xfffffffc00fc7947, 0x000fc0000383ffff, 90, 0x140);
    EXPECT_EQ(itself.target, 0x140U);
    EXPECT_FALSE(itself.guarded);
    EXPECT_EQ(decoded(0x000000000000094d, 0x000fea0003800000, 90).way, Way::kEnd);
}

TEST(Decode, WidthsAndVariants) {
    EXPECT_EQ(decoded(0x00008400ff027b82, 0x000e220000000a00, 90).opcode, "LDC.64");
    EXPECT_EQ(decoded(0x0000000002ff7fae, 0x000fe8000b901c44, 80).opcode, "LDGSTS.128");
    EXPECT_EQ(decoded(0x0041000000007b1d, 0x000fec0000002000, 80).opcode, "BAR.ARV");
    EXPECT_EQ(decoded(0x0000000000007b1d, 0x000fec0000010000, 80).opcode, "BAR");
    EXPECT_EQ(decoded(0x00000004ff077435, 0x000fe200000001ff, 80).opcode, "HFMA2.MMA");
    const Instruction unknown = decoded(0x1ff, 0, 80);
    EXPECT_EQ(unknown.opcode, "OP_1FF");
    EXPECT_FALSE(decode_opcode(unknown.opcode).known);
}

std::vector<std::uint8_t> cubin() {
    std::ifstream in(KYMO_SASS_INPUTS "/good-rows.cubin", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Cubin, InstructionsWithTheLinesOfThePtx) {
    const auto bytes = cubin();
    const auto code = read_code(bytes, "rows.cubin");
    ASSERT_TRUE(code.ok()) << code.error().what;
    ASSERT_EQ(code->size(), 1U);
    const Code& rows = code->at("rows");
    EXPECT_EQ(rows.registers, 14U);
    EXPECT_TRUE(rows.has_lines);
    ASSERT_EQ(rows.instructions.size(), 67U);  // without what fills the section
    unsigned loads = 0;
    std::uint32_t line = 0;
    for (const Instruction& instruction : rows.instructions) {
        if (instruction.opcode == "LDG.E") {
            ++loads;
            EXPECT_TRUE(line == 0 || line == instruction.line);  // four, two and one round of the same loop
            line = instruction.line;
        }
    }
    EXPECT_EQ(loads, 7U);
    std::ifstream ptx(KYMO_SASS_INPUTS "/../../../../unit/gpu/ptx/rows.ptx");
    std::string text;
    for (std::uint32_t i = 0; i < line; ++i) {
        std::getline(ptx, text);
    }
    EXPECT_THAT(text, HasSubstr("ld.global.f32"));
}

TEST(Cubin, WhateverIsCutIsAnErrorOrLess) {
    const auto bytes = cubin();
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
        const auto code = read_code(std::span(bytes).first(size), "rows.cubin");
        if (code) {
            EXPECT_LE(code->size(), 1U);
        } else {
            EXPECT_THAT(code.error().what, HasSubstr("rows.cubin"));
        }
    }
}

}  // namespace
}  // namespace kymo::gpu::sass
