// Words from an assembler; what they mean from the architecture's manual (DDI 0487).
#include "program/flow/make_flow_graph.h"
#include "word_code.h"

#include <elf.h>

namespace kymo::program {
namespace {

constexpr std::uint64_t kPlace = 0x1000;
constexpr std::uint8_t kSp = 31;

Instruction arm(std::uint32_t word) {
    return decoded_word(aarch64_decoder(), word, kPlace);
}

TEST(Aarch64, TellsWhereControlGoes) {
    using Kind = InstructionKind;
    expect_flow(aarch64_decoder(), kPlace,
                {
                    {0xd503201f, Kind::kPlain},                    // nop
                    {0xd4000001, Kind::kPlain},                    // svc #0
                    {0x14000000, Kind::kJump, 0x1000},             // b .
                    {0x94000040, Kind::kCall, 0x1100},             // bl .+0x100
                    {0x54ffffc1, Kind::kConditionalJump, 0xff8},   // b.ne .-8
                    {0x5400020e, Kind::kJump, 0x1040},             // b.al .+0x40
                    {0xb4000203, Kind::kConditionalJump, 0x1040},  // cbz x3, .+0x40
                    {0x35fffe03, Kind::kConditionalJump, 0xfc0},   // cbnz w3, .-0x40
                    {0x36180105, Kind::kConditionalJump, 0x1020},  // tbz w5, #3, .+0x20
                    {0xb747ffe5, Kind::kConditionalJump, 0xffc},   // tbnz x5, #40, .-4
                    {0xd61f0200, Kind::kIndirectJump},             // br x16
                    {0xd71f0822, Kind::kIndirectJump},             // braa x1, x2
                    {0xd63f0100, Kind::kIndirectCall},             // blr x8
                    {0xd63f083f, Kind::kIndirectCall},             // blraaz x1
                    {0xd65f03c0, Kind::kReturn},                   // ret
                    {0xd65f0060, Kind::kReturn},                   // ret x3
                    {0xd65f0bff, Kind::kReturn},                   // retaa
                    {0xd69f03e0, Kind::kReturn},                   // eret
                    {0xd4200020, Kind::kTrap},                     // brk #1
                    {0xd4400040, Kind::kTrap},                     // hlt #2
                    {0x00000000, Kind::kTrap},                     // udf #0
                    {0xd5033bbf, Kind::kPlain},                    // dmb ish
                    {0x0430e3e0, Kind::kPlain},                    // incb x0 (SVE)
                });
    EXPECT_EQ(arm(0xd61f0200).source, 16);
    EXPECT_EQ(arm(0xd63f0100).source, 8);
    EXPECT_EQ(arm(0xd63f0100).writes, 0x4007ffffU);  // a callee keeps x19 … x29
    EXPECT_EQ(aarch64_decoder().alignment(), 4);
    EXPECT_EQ(decoder_for(EM_AARCH64), &aarch64_decoder());
}

TEST(Aarch64, RefusesWhatIsReserved) {
    EXPECT_FALSE(decodes(aarch64_decoder(), 0x02000000));
    EXPECT_FALSE(decodes(aarch64_decoder(), 0x06123456));
    EXPECT_FALSE(decodes(aarch64_decoder(), 0x00010000));
    EXPECT_FALSE(decodes(aarch64_decoder(), 0xd67f0000));  // by a register, but neither br, blr nor ret
    const std::uint8_t three[] = {0x1f, 0x20, 0x03};
    Instruction in;
    EXPECT_FALSE(aarch64_decoder().decode(three, 0, &in));
    EXPECT_FALSE(aarch64_decoder().decode_flow({}, 0, &in));
}

TEST(Aarch64, DescribesLoadsAndStores) {
    const Instruction indexed = arm(0xf8627820);  // ldr x0, [x1, x2, lsl #3]
    ASSERT_EQ(indexed.memory_operands, 1);
    EXPECT_EQ(indexed.memory[0], (MemoryOperand{.base = 1, .index = 2, .scale = 8, .width = 8, .is_read = true}));
    EXPECT_EQ(indexed.writes, 1U << 0U);
    EXPECT_EQ(indexed.reads, 1U << 1U | 1U << 2U);
    const Instruction scaled = arm(0xb9401020);  // ldr w0, [x1, #16]
    EXPECT_EQ(scaled.memory[0], (MemoryOperand{.base = 1, .width = 4, .is_read = true, .displacement = 16}));
    EXPECT_EQ(scaled.operation, Operation::kLoad);
    EXPECT_EQ(scaled.bits, 32);
    EXPECT_FALSE(scaled.is_signed);
    const Instruction pushed = arm(0xb81f0fe0);  // str w0, [sp, #-16]!
    EXPECT_EQ(pushed.memory[0], (MemoryOperand{.base = kSp, .width = 4, .is_written = true, .displacement = -16}));
    EXPECT_TRUE(pushed.writes_memory);
    EXPECT_EQ(pushed.writes, 1U << kSp);
    EXPECT_EQ(pushed.operation, Operation::kSum);  // the stack pointer's step
    EXPECT_EQ(pushed.constant, -16);
    const Instruction pair = arm(0xa8c27bfd);  // ldp x29, x30, [sp], #32
    EXPECT_EQ(pair.memory[0], (MemoryOperand{.base = kSp, .width = 16, .is_read = true}));
    EXPECT_EQ(pair.writes, 1U << 29U | 1U << 30U | 1U << kSp);
    const Instruction literal = arm(0x58000403);  // ldr x3, .+0x80
    EXPECT_EQ(literal.memory[0],
              (MemoryOperand{.width = 8, .is_read = true, .image_relative = true, .displacement = 0x1080}));
    const Instruction extended = arm(0xb8a07820);  // ldrsw x0, [x1, x0, lsl #2]
    EXPECT_EQ(extended.bits, 32);
    EXPECT_TRUE(extended.is_signed);
    EXPECT_EQ(arm(0x39c00020).operation, Operation::kOther);  // ldrsb w0, [x1]: extended to 32 bits only
    EXPECT_EQ(arm(0xf9800020).memory_operands, 0);            // prfm
    const Instruction vector = arm(0x3cc10420);               // ldr q0, [x1], #16
    EXPECT_EQ(vector.memory[0].width, 16);
    EXPECT_TRUE(vector.writes_other);
    EXPECT_EQ(vector.writes, 1U << 1U);
    const Instruction structure = arm(0x4cdf7020);  // ld1 {v0.16b}, [x1], #16
    EXPECT_TRUE(structure.memory[0].is_read);
    EXPECT_EQ(structure.writes, 1U << 1U);
    EXPECT_TRUE(arm(0xfd000441).writes_memory);  // str d1, [x2, #8]
}

TEST(Aarch64, DescribesAtomicOperations) {
    EXPECT_EQ(arm(0x885f7c20).writes, 1U << 0U);  // ldxr w0, [x1]
    const Instruction store = arm(0x88027c23);    // stxr w2, w3, [x1]
    EXPECT_EQ(store.writes, 1U << 2U);
    EXPECT_EQ(store.reads, 1U << 1U | 1U << 3U);
    EXPECT_FALSE(store.is_try);
    EXPECT_EQ(arm(0xc87f8440).writes, 1U << 0U | 1U << 1U);  // ldaxp x0, x1, [x2]
    const Instruction swap = arm(0x88a17c62);                // cas w1, w2, [x3]
    EXPECT_TRUE(swap.is_try && swap.writes_memory && swap.memory[0].is_read);
    EXPECT_EQ(swap.writes, 1U << 1U);
    EXPECT_EQ(swap.reads, 1U << 1U | 1U << 2U | 1U << 3U);
    EXPECT_TRUE(arm(0xf8e18062).is_try);   // swpal x1, x2, [x3]
    EXPECT_FALSE(arm(0xf8210062).is_try);  // ldadd x1, x2, [x3]
    EXPECT_TRUE(arm(0xf8210062).writes_memory);
    EXPECT_FALSE(arm(0xf8bfc041).writes_memory);  // ldapr x1, [x2]
    EXPECT_TRUE(arm(0x889ffc41).writes_memory);   // stlr w1, [x2]
    EXPECT_TRUE(arm(0xd503203f).is_pause);        // yield
    EXPECT_TRUE(arm(0xd503205f).is_pause);        // wfe
    EXPECT_FALSE(arm(0xd503201f).is_pause);
}

void expect_sum(std::uint32_t word, std::uint8_t source, std::uint8_t source2, std::uint8_t scale,
                std::int64_t constant) {
    const Instruction in = arm(word);
    EXPECT_EQ(in.operation, Operation::kSum) << std::hex << word;
    EXPECT_EQ(in.source, source) << std::hex << word;
    EXPECT_EQ(in.source2, source2) << std::hex << word;
    EXPECT_EQ(in.scale, scale) << std::hex << word;
    EXPECT_EQ(in.constant, constant) << std::hex << word;
}

TEST(Aarch64, KnowsWhatAddressesAreMadeOf) {
    expect_sum(0x10000122, kNoRegister, kNoRegister, 1, 0x1024);  // adr x2, .+0x24
    expect_sum(0xb0000001, kNoRegister, kNoRegister, 1, 0x2000);  // adrp x1, .+0x1000
    expect_sum(0x91004021, 1, kNoRegister, 1, 0x10);              // add x1, x1, #0x10
    expect_sum(0xf1000400, 0, kNoRegister, 1, -1);                // subs x0, x0, #1
    expect_sum(0x8b030c41, 2, 3, 8, 0);                           // add x1, x2, x3, lsl #3
    expect_sum(0xaa0103e0, 1, kNoRegister, 1, 0);                 // mov x0, x1
    expect_sum(0xd2824680, kNoRegister, kNoRegister, 1, 0x1234);  // mov x0, #0x1234
    expect_sum(0x92800000, kNoRegister, kNoRegister, 1, -1);      // mov x0, #-1
    expect_sum(0xd37df020, kNoRegister, 1, 8, 0);                 // lsl x0, x1, #3
    expect_sum(0x9100001f, 0, kNoRegister, 1, 0);                 // mov sp, x0
    expect_sum(0xaa1f03e0, kNoRegister, kNoRegister, 1, 0);       // mov x0, xzr
    expect_sum(0x8b218841, 2, 1, 4, 0);                           // add x1, x2, w1, sxtb #2
    EXPECT_EQ(arm(0x8b218841).bits, 8);
    EXPECT_TRUE(arm(0x8b218841).is_signed);
    EXPECT_EQ(arm(0x11000400).operation, Operation::kStep);  // add w0, w0, #1
    EXPECT_EQ(arm(0x53001c20).operation, Operation::kZeroExtend);
    EXPECT_EQ(arm(0x53001c20).bits, 8);                            // uxtb w0, w1
    EXPECT_EQ(arm(0x93407c20).operation, Operation::kSignExtend);  // sxtw x0, w1
    EXPECT_EQ(arm(0x93407c20).bits, 32);
    EXPECT_EQ(arm(0x2a0103e0).operation, Operation::kZeroExtend);  // mov w0, w1
    EXPECT_EQ(arm(0x12000c00).operation, Operation::kMask);        // and w0, w0, #0xf
    EXPECT_EQ(arm(0x12000c00).constant, 0xf);
    EXPECT_EQ(static_cast<std::uint64_t>(arm(0x92089c20).constant), 0xff00ff00ff00ff00U);
    EXPECT_EQ(arm(0x9b020c20).operation, Operation::kOther);  // madd x0, x1, x2, x3
    EXPECT_EQ(arm(0x9b020c20).reads, 0b1110U);
}

TEST(Aarch64, KnowsComparisonsAndUnsignedConditions) {
    const Instruction compare = arm(0x7100a01f);  // cmp w0, #40
    EXPECT_EQ(compare.operation, Operation::kCompare);
    EXPECT_EQ(compare.source, 0);
    EXPECT_EQ(compare.bits, 32);
    EXPECT_EQ(compare.constant, 40);
    EXPECT_EQ(compare.writes, 0U);
    EXPECT_EQ(arm(0xf140041f).constant, 0x1000);  // cmp x0, #1, lsl #12
    EXPECT_EQ(arm(0x6b01001f).source2, 1);        // cmp w0, w1
    EXPECT_EQ(arm(0x54000208).condition, Condition::kAbove);
    EXPECT_EQ(arm(0x54000209).condition, Condition::kBelowOrEqual);
    EXPECT_EQ(arm(0x54000202).condition, Condition::kAboveOrEqual);
    EXPECT_EQ(arm(0x54000203).condition, Condition::kBelow);
    EXPECT_EQ(arm(0x54000201).condition, Condition::kOther);
    EXPECT_TRUE(arm(0xfa410800).writes_flags);  // ccmp
    EXPECT_TRUE(arm(0x1e612000).writes_flags);  // fcmp
}

TEST(Aarch64, KnowsWhichVectorInstructionsWriteGeneralRegisters) {
    EXPECT_EQ(arm(0x9e660020).writes, 1U);   // fmov x0, d1
    EXPECT_EQ(arm(0x1e380020).writes, 1U);   // fcvtzs w0, s1
    EXPECT_EQ(arm(0x0e033c20).writes, 1U);   // umov w0, v1.b[1]
    EXPECT_EQ(arm(0x9e620020).writes, 0U);   // scvtf d0, x1
    EXPECT_EQ(arm(0x1e622820).writes, 0U);   // fadd d0, d1, d2
    EXPECT_EQ(arm(0x0430e3e0).writes, ~0U);  // incb x0: SVE is not known in detail
}

// gcc -O2: 1000: cmp w0, #3   1004: b.hi 1028   1008: adr x1, 1030   100c: ldrb w1, [x1, w0, uxtw]
//   1010: adr x2, 101c   1014: add x1, x2, w1, sxtb #2   1018: br x1
//   101c: nop   1020: nop   1024: nop   1028: ret; the table at 1030: words from 101c on.
TEST(Aarch64, ReadsTablesOfScaledOffsets) {
    const auto code = code_of({0x71000c1f, 0x54000128, 0x10000141, 0x38604821, 0x10000062, 0x8b218841, 0xd61f0020,
                               0xd503201f, 0xd503201f, 0xd503201f, 0xd65f03c0});
    const std::vector<std::uint8_t> table = {0, 2, 1, 3, 0, 0, 0, 0};
    const FlowGraph graph =
        make_flow_graph(aarch64_decoder(), {CodeBytes({{0x1000, code}}), 0x1000}, CodeBytes({{0x1030, table}}));
    ASSERT_EQ(graph.tables.size(), 1U);
    EXPECT_EQ(graph.tables[0].address, 0x1030U);
    EXPECT_EQ(graph.tables[0].entries, 4U);
    EXPECT_TRUE(graph.tables[0].bounded);
    std::vector<std::uint64_t> targets;
    for (const BlockEdge& edge : graph.edges_of(graph.block_at(0x1018))) {
        targets.push_back(graph.blocks[edge.to].begin);
    }
    EXPECT_EQ(targets, (std::vector<std::uint64_t>{0x101c, 0x1024, 0x1020, 0x1028}));
    EXPECT_EQ(graph.undecodable_bytes, 0U);
}

}  // namespace
}  // namespace kymo::program
