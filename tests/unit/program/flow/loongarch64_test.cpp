// Words put together by hand from the manual's formats (volume 1, appendix B).
#include "base/machine.h"
#include "program/flow/make_flow_graph.h"
#include "word_code.h"

namespace kymo::program {
namespace {

constexpr std::uint64_t kAt = 0x1000;

Instruction loong(std::uint32_t word) {
    return decoded_word(loongarch64_decoder(), word, kAt);
}

TEST(Loongarch64, TellsWhereControlGoes) {
    using Kind = InstructionKind;
    expect_flow(loongarch64_decoder(), kAt,
                {
                    {0x50000800, Kind::kJump, 0x1008},             // b .+8
                    {0x53ffffff, Kind::kJump, 0xffc},              // b .-4
                    {0x54010000, Kind::kCall, 0x1100},             // bl .+0x100
                    {0x40001080, Kind::kConditionalJump, 0x1010},  // beqz r4, .+16
                    {0x47fff99f, Kind::kConditionalJump, 0xff8},   // bnez r12, .-8
                    {0x48000800, Kind::kConditionalJump, 0x1008},  // bceqz fcc0, .+8
                    {0x48000900, Kind::kConditionalJump, 0x1008},  // bcnez fcc0, .+8
                    {0x58000885, Kind::kConditionalJump, 0x1008},  // beq r4, r5, .+8
                    {0x6ffffc85, Kind::kConditionalJump, 0xffc},   // bgeu r4, r5, .-4
                    {0x4c000020, Kind::kReturn},                   // jirl r0, r1, 0
                    {0x4c000181, Kind::kIndirectCall},             // jirl r1, r12, 0
                    {0x4c000180, Kind::kIndirectJump},             // jirl r0, r12, 0
                    {0x002a0000, Kind::kTrap},                     // break 0
                    {0x002b0000, Kind::kPlain},                    // syscall 0
                    {0x06483800, Kind::kReturn},                   // ertn
                    {0x03400000, Kind::kPlain},                    // andi r0, r0, 0 (nop)
                });
    EXPECT_EQ(loong(0x4c000180).source, 12);
    EXPECT_EQ(loong(0x54010000).writes, 0x1ffff2U);  // r1, r4 … r20
    EXPECT_EQ(loongarch64_decoder().alignment(), 4);
    EXPECT_EQ(decoder_for(258), &loongarch64_decoder());
    EXPECT_FALSE(decodes(loongarch64_decoder(), 0x00000000));
    EXPECT_FALSE(decodes(loongarch64_decoder(), 0x48000a00));
}

TEST(Loongarch64, DescribesLoadsAndStores) {
    const Instruction load = loong(0x28c0208c);  // ld.d r12, r4, 8
    ASSERT_EQ(load.memory_operands, 1);
    EXPECT_EQ(load.memory[0], (MemoryOperand{.base = 4, .width = 8, .is_read = true, .displacement = 8}));
    EXPECT_EQ(load.writes, 1U << 12U);
    const Instruction store = loong(0x29bff065);  // st.w r5, r3, -4
    EXPECT_EQ(store.memory[0], (MemoryOperand{.base = 3, .width = 4, .is_written = true, .displacement = -4}));
    EXPECT_TRUE(store.writes_memory);
    EXPECT_EQ(store.writes, 0U);
    const Instruction indexed = loong(0x380c31ac);  // ldx.d r12, r13, r12
    EXPECT_EQ(indexed.memory[0], (MemoryOperand{.base = 13, .index = 12, .width = 8, .is_read = true}));
    EXPECT_TRUE(loong(0x2b800080).writes_other);  // fld.d f0, r4, 0
    EXPECT_EQ(loong(0x2b800080).writes, 0U);
    EXPECT_EQ(loong(0x38600000).writes, ~0U);         // amswap.w: atomic ones are not known in detail
    EXPECT_EQ(loong(0x38720000).memory_operands, 0);  // dbar 0
    EXPECT_FALSE(loong(0x38720000).writes_other);
}

TEST(Loongarch64, KnowsWhatAddressesAreMadeOf) {
    const auto expect_sum = [](std::uint32_t word, std::uint8_t source, std::uint8_t source2, std::uint8_t scale,
                               std::int64_t constant) {
        const Instruction in = loong(word);
        EXPECT_EQ(in.operation, Operation::kSum) << std::hex << word;
        EXPECT_EQ(in.source, source) << std::hex << word;
        EXPECT_EQ(in.source2, source2) << std::hex << word;
        EXPECT_EQ(in.scale, scale) << std::hex << word;
        EXPECT_EQ(in.constant, constant) << std::hex << word;
    };
    expect_sum(0x02ffc063, 3, kNoRegister, 1, -16);                // addi.d r3, r3, -16
    expect_sum(0x00410d8c, kNoRegister, 12, 8, 0);                 // slli.d r12, r12, 3
    expect_sum(0x002d358c, 13, 12, 8, 0);                          // alsl.d r12, r12, r13, 3
    expect_sum(0x1c00002d, kNoRegister, kNoRegister, 1, 0x2000);   // pcaddu12i r13, 1
    expect_sum(0x15ffffe4, kNoRegister, kNoRegister, 1, -0x1000);  // lu12i.w r4, -1
    expect_sum(0x001500a4, 5, kNoRegister, 1, 0);                  // or r4, r5, r0: a move
    expect_sum(0x03800c0d, kNoRegister, kNoRegister, 1, 3);        // ori r13, r0, 3
    EXPECT_EQ(loong(0x03403c84).operation, Operation::kMask);      // andi r4, r4, 15
    EXPECT_EQ(loong(0x03403c84).constant, 15);
    EXPECT_EQ(loong(0x68000885).condition, Condition::kBelow);  // bltu r4, r5
    EXPECT_EQ(loong(0x68000885).source2, 5);
}

// 1000: ori r13, r0, 3   1004: bltu r13, r4, 1020   1008: pcaddu12i r12, 1   100c: alsl.d r4, r4, r12, 3
// 1010: ld.d r4, r4, 0   1014: jirl r0, r4, 0   1018: nop   101c: nop   1020: ret; the table at 2008
TEST(Loongarch64, ReadsTablesBoundedByAConstantInARegister) {
    const auto code = code_of(
        {0x03800c0d, 0x68001da4, 0x1c00002c, 0x002d3084, 0x28c00084, 0x4c000080, 0x03400000, 0x03400000, 0x4c000020});
    const auto table = code_of({0x1018, 0, 0x101c, 0, 0x1020, 0, 0x1018, 0, 0x101c, 0});
    const FlowGraph graph =
        make_flow_graph(loongarch64_decoder(), {CodeBytes({{0x1000, code}}), 0x1000}, CodeBytes({{0x2008, table}}));
    ASSERT_EQ(graph.tables.size(), 1U);
    EXPECT_EQ(graph.tables[0].address, 0x2008U);
    EXPECT_EQ(graph.tables[0].entries, 4U);
    EXPECT_TRUE(graph.tables[0].bounded);
    EXPECT_EQ(graph.edges_of(graph.block_at(0x1014)).size(), 3U);
}

}  // namespace
}  // namespace kymo::program
