#include "program/flow/operand_use.h"

#include "program/flow/make_flow_graph.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::program {
namespace {

OperandUse use_at(const std::vector<std::uint8_t>& bytes, std::uint64_t address) {
    const CodeBytes code({{0x1000, bytes}});
    const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, 0x1000}, code);
    return operand_use(x86_64_decoder(), code, graph, address);
}

// movsd (%rdi),%xmm1; mulsd %xmm2,%xmm1; mov (%rax),%rax; add %rcx,8(%rsi,%rdx,4); ret
const std::vector<std::uint8_t> kCode = {0xf2, 0x0f, 0x10, 0x0f, 0xf2, 0x0f, 0x59, 0xca, 0x48,
                                         0x8b, 0x00, 0x48, 0x01, 0x4c, 0x96, 0x08, 0xc3};

TEST(OperandUse, IsOfTheInstructionAndTheOneBefore) {
    const OperandUse at_product = use_at(kCode, 0x1004);
    EXPECT_EQ(at_product.doubles, (1U << 1) | (1U << 2));
    ASSERT_EQ(at_product.memory_operands, 1);  // of the load before
    EXPECT_EQ(at_product.memory[0].base, 5);   // rdi
    const OperandUse behind_product = use_at(kCode, 0x1008);
    EXPECT_EQ(behind_product.doubles, (1U << 1) | (1U << 2));
    ASSERT_EQ(behind_product.memory_operands, 1);
    EXPECT_EQ(behind_product.memory[0].base, 0);
}

TEST(OperandUse, LeavesOutAddressesThatTheOneBeforeHasChanged) {
    const OperandUse use = use_at(kCode, 0x100b);
    ASSERT_EQ(use.memory_operands, 1);  // not (%rax), which is what was read
    EXPECT_EQ(use.memory[0].base, 4);   // rsi
    EXPECT_TRUE(use.memory[0].is_written);
    ASSERT_EQ(use.near_operands, 1);   // the load of movsd
    EXPECT_EQ(use.memory[1].base, 5);  // rdi
    const std::vector<std::uint64_t> registers = {0, 3, 0, 0, 0x5000, 0, 0, 0};
    EXPECT_EQ(address_of(use.memory[0], registers, 0), 0x5000U + 4 * 3 + 8);
    EXPECT_EQ(address_of(use.memory[0], std::span(registers).first(4), 0), std::nullopt);
}

TEST(OperandUse, LeavesOutWhatIsBeforeACall) {
    // mov %rcx,(%rdi); call 0x1010; mov %rax,(%rsi); ret
    const std::vector<std::uint8_t> code = {0x48, 0x89, 0x0f, 0xe8, 0x08, 0, 0, 0, 0x48, 0x89, 0x06, 0xc3};
    const OperandUse use = use_at(code, 0x1008);
    ASSERT_EQ(use.all_operands(), 1);
    EXPECT_EQ(use.memory[0].base, 4);  // rsi; rdi is the callee's
}

TEST(OperandUse, IsNoneOutsideTheCode) {
    EXPECT_FALSE(use_at(kCode, 0x2000).is_any());
    EXPECT_FALSE(use_at(kCode, 0x1001).is_any());  // inside an instruction
}

}  // namespace
}  // namespace kymo::program
