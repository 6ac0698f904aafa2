// Words put together by hand from the formats in src/program/flow/sw_64/effect.h.
#include "base/machine.h"
#include "program/flow/make_flow_graph.h"
#include "word_code.h"

namespace kymo::program {
namespace {

constexpr std::uint64_t kWhere = 0x12000'1000;

Instruction sunway(std::uint32_t word) {
    return decoded_word(sw_64_decoder(), word, kWhere);
}

TEST(Sw64, TellsWhereControlGoes) {
    using Kind = InstructionKind;
    expect_flow(sw_64_decoder(), kWhere,
                {
                    {0x02000083, Kind::kPlain},                          // sys_call 0x83
                    {0x06fb0000, Kind::kIndirectCall},                   // call $26, ($27), 0
                    {0x0bfa0001, Kind::kReturn},                         // ret $31, ($26), 1
                    {0x0ffb0000, Kind::kIndirectJump},                   // jmp $31, ($27), 0
                    {0x13e00003, Kind::kJump, 0x12000'1010},             // br .+16: from the next instruction on
                    {0x13ffffff, Kind::kJump, 0x12000'1000},             // br .
                    {0x17400040, Kind::kCall, 0x12000'1104},             // bsr $26, .+0x104
                    {0xc01ffffe, Kind::kConditionalJump, 0x12000'0ffc},  // beq $0, .-4
                    {0xc0200000, Kind::kConditionalJump, 0x12000'1004},  // beq $1, the next
                    {0xc4000001, Kind::kConditionalJump, 0x12000'1008},  // bne $0
                    {0xc8000001, Kind::kConditionalJump, 0x12000'1008},  // blt
                    {0xcc000001, Kind::kConditionalJump, 0x12000'1008},  // ble
                    {0xd0000001, Kind::kConditionalJump, 0x12000'1008},  // bgt
                    {0xd4000001, Kind::kConditionalJump, 0x12000'1008},  // bge
                    {0xd8000001, Kind::kConditionalJump, 0x12000'1008},  // blbc
                    {0xdc000001, Kind::kConditionalJump, 0x12000'1008},  // blbs
                    {0xe0000001, Kind::kConditionalJump, 0x12000'1008},  // fbeq $f0
                    {0xf40fffff, Kind::kConditionalJump, 0x12040'1000},  // fbge $f0, the farthest forward
                    {0xf4100000, Kind::kConditionalJump, 0x11fc0'1004},  // fbge $f0, the farthest back
                    {0x18000080, Kind::kTrap},                           // halt
                    {0x18000000, Kind::kPlain},                          // memb
                    {0x43ff075f, Kind::kPlain},                          // bis $31, $31, $31 (nop)
                });
    EXPECT_EQ(sunway(0x06fb0000).source, 27);
    EXPECT_EQ(sunway(0x0ffb0000).source, 27);
    EXPECT_EQ(sunway(0x17400040).writes & 0x4000fe00U, 0U);  // callees keep R9 … R15 and R30
    EXPECT_EQ(sunway(0x17400040).writes & 1U << 26U, 1U << 26U);
    EXPECT_EQ(sw_64_decoder().alignment(), 4);
    EXPECT_EQ(decoder_for(0x9916), &sw_64_decoder());
    EXPECT_FALSE(decodes(sw_64_decoder(), 0x74000000));  // a major opcode that no table holds
    EXPECT_FALSE(decodes(sw_64_decoder(), 0x7c000000));
}

TEST(Sw64, DescribesLoadsAndStores) {
    const Instruction load = sunway(0x8f5e0010);  // ldl $26, 16($30)
    ASSERT_EQ(load.memory_operands, 1);
    EXPECT_EQ(load.memory[0], (MemoryOperand{.base = 30, .width = 8, .is_read = true, .displacement = 16}));
    EXPECT_EQ(load.writes, 1U << 26U);
    EXPECT_EQ(load.operation, Operation::kLoad);
    const Instruction store = sunway(0xaf5efff8);  // stl $26, -8($30)
    EXPECT_EQ(store.memory[0], (MemoryOperand{.base = 30, .width = 8, .is_written = true, .displacement = -8}));
    EXPECT_TRUE(store.writes_memory);
    EXPECT_EQ(store.reads, 1U << 26U | 1U << 30U);
    const Instruction word = sunway(0x88220004);  // ldw $1, 4($2)
    EXPECT_EQ(word.memory[0].width, 4);
    EXPECT_TRUE(word.is_signed);
    EXPECT_EQ(sunway(0x80220000).memory[0].width, 1);  // ldbu
    EXPECT_EQ(sunway(0x84220000).memory[0].width, 2);  // ldhu
    EXPECT_EQ(sunway(0xa0220000).memory[0].width, 1);  // stb
    EXPECT_TRUE(sunway(0x34220000).writes_other);      // vldd $f1, 0($2)
    EXPECT_EQ(sunway(0x34220000).memory[0].width, 32);
    EXPECT_EQ(sunway(0x34220000).writes, 0U);
    EXPECT_TRUE(sunway(0xbc220000).writes_memory);     // fstd
    EXPECT_EQ(sunway(0x8fe20000).memory_operands, 0);  // into $31: a prefetch
    EXPECT_EQ(sunway(0x20220000).writes, ~0U);         // lldw: atomic ones are not known in detail
}

TEST(Sw64, KnowsWhatAddressesAreMadeOf) {
    const Instruction address = sunway(0xfbdefff0);  // ldi $30, -16($30)
    EXPECT_EQ(address.operation, Operation::kSum);
    EXPECT_EQ(address.destination, 30);
    EXPECT_EQ(address.source, 30);
    EXPECT_EQ(address.constant, -16);
    EXPECT_EQ(sunway(0xffbb0002).constant, 0x20000);   // ldih $29, 2($27)
    EXPECT_EQ(sunway(0xffbbffff).constant, -0x10000);  // ldih $29, -1($27)
    const Instruction scaled = sunway(0x40220183);     // s8addl $1, $2, $3
    EXPECT_EQ(scaled.operation, Operation::kSum);
    EXPECT_EQ(scaled.source, 2);
    EXPECT_EQ(scaled.source2, 1);
    EXPECT_EQ(scaled.scale, 8);
    const Instruction step = sunway(0x48202101);  // addl $1, 1, $1
    EXPECT_EQ(step.operation, Operation::kSum);
    EXPECT_EQ(step.constant, 1);
    EXPECT_EQ(sunway(0x48202121).constant, -1);   // subl $1, 1, $1
    EXPECT_EQ(sunway(0x43e20743).source, 2);      // bis $31, $2, $3: a move
    const Instruction mask = sunway(0x4821e703);  // and $1, 15, $3
    EXPECT_EQ(mask.operation, Operation::kMask);
    EXPECT_EQ(mask.constant, 15);
}

// 0: ldi $0, 0($31)   4: ldi $0, 1($0)   8: subl $16, 1, $16   c: bne $16, 4   10: ret
TEST(Sw64, MakesGraphsOfLoops) {
    const auto code = code_of({0xf81f0000, 0xf8000001, 0x4a002130, 0xc61ffffd, 0x0bfa0001});
    const FlowGraph graph = make_flow_graph(sw_64_decoder(), {CodeBytes({{0, code}}), 0}, {});
    ASSERT_EQ(graph.blocks.size(), 3U);
    EXPECT_EQ(graph.blocks[1].begin, 4U);
    EXPECT_EQ(graph.blocks[1].end, 0x10U);
    const auto edges = graph.edges_of(1);
    ASSERT_EQ(edges.size(), 2U);
    EXPECT_EQ(edges[0].to, 2U);
    EXPECT_EQ(edges[1].to, 1U);
    EXPECT_EQ(graph.blocks[2].how, BlockEnd::kReturn);
}

}  // namespace
}  // namespace kymo::program
