// Words and half words from an assembler; what they mean from the instruction set's manual.
#include "hex.h"
#include "program/flow/make_flow_graph.h"
#include "word_code.h"

#include <elf.h>

namespace kymo::program {
namespace {

constexpr std::uint64_t kHere = 0x1000;

Instruction risc(std::uint32_t word) {
    return decoded_word(riscv64_decoder(), word, kHere);
}

Instruction short_risc(std::uint16_t half) {
    const std::uint8_t bytes[] = {static_cast<std::uint8_t>(half & 0xffU), static_cast<std::uint8_t>(half >> 8U)};
    Instruction in;
    Instruction flow;
    EXPECT_TRUE(riscv64_decoder().decode(bytes, kHere, &in)) << std::hex << half;
    EXPECT_TRUE(riscv64_decoder().decode_flow(bytes, kHere, &flow)) << std::hex << half;
    EXPECT_EQ(in.length, 2) << std::hex << half;
    EXPECT_EQ(in.kind, flow.kind) << std::hex << half;
    EXPECT_EQ(in.target, flow.target) << std::hex << half;
    return in;
}

TEST(Riscv64, TellsWhereControlGoes) {
    using Kind = InstructionKind;
    expect_flow(riscv64_decoder(), kHere,
                {
                    {0x00b50063, Kind::kConditionalJump, 0x1000},  // beq a0, a1, .
                    {0xfee7fee3, Kind::kConditionalJump, 0xffc},   // bgeu a5, a4, .-4
                    {0xff9ff06f, Kind::kJump, 0xff8},              // jal zero, .-8
                    {0x0f4000ef, Kind::kCall, 0x10f4},             // jal ra, .+0xf4
                    {0x00078067, Kind::kIndirectJump},             // jalr zero, 0(a5)
                    {0x000780e7, Kind::kIndirectCall},             // jalr ra, 0(a5)
                    {0x000e0367, Kind::kIndirectJump},             // jalr t1, 0(t3): of a linkage table
                    {0x00008067, Kind::kReturn},                   // ret
                    {0x00000073, Kind::kPlain},                    // ecall
                    {0x00100073, Kind::kTrap},                     // ebreak
                    {0x10200073, Kind::kReturn},                   // sret
                    {0x0ff0000f, Kind::kPlain},                    // fence
                });
    EXPECT_EQ(risc(0x00078067).source, 15);
    EXPECT_EQ(riscv64_decoder().alignment(), 2);
    EXPECT_EQ(decoder_for(EM_RISCV), &riscv64_decoder());
    EXPECT_FALSE(decodes(riscv64_decoder(), 0x00002063));  // a branch of no kind
    EXPECT_FALSE(decodes(riscv64_decoder(), 0x0000001f));  // the beginning of one of 48 bits
    const std::uint8_t cut[] = {0x63, 0x00, 0xb5};
    Instruction in;
    EXPECT_FALSE(riscv64_decoder().decode(cut, 0, &in));
    EXPECT_FALSE(riscv64_decoder().decode_flow({}, 0, &in));
}

TEST(Riscv64, TellsWhereControlGoesFromShortOnes) {
    using Kind = InstructionKind;
    const std::tuple<std::uint16_t, Kind, std::uint64_t> cases[] = {
        {0xb761, Kind::kJump, 0x1000 - 0x78},             // c.j .-0x78
        {0xd159, Kind::kConditionalJump, 0x1000 - 0x7a},  // c.beqz a0, .-0x7a
        {0xf1d1, Kind::kConditionalJump, 0x1000 - 0x7c},  // c.bnez a1, .-0x7c
        {0x8782, Kind::kIndirectJump, 0},                 // c.jr a5
        {0x9782, Kind::kIndirectCall, 0},                 // c.jalr a5
        {0x8082, Kind::kReturn, 0},                       // c.jr ra
        {0x9002, Kind::kTrap, 0},                         // c.ebreak
        {0x0000, Kind::kTrap, 0},                         // defined as illegal
        {0x852e, Kind::kPlain, 0},                        // c.mv a0, a1
        {0x157d, Kind::kPlain, 0},                        // c.addi a0, -1
    };
    for (const auto& [half, kind, target] : cases) {
        const Instruction in = short_risc(half);
        EXPECT_EQ(in.kind, kind) << std::hex << half;
        EXPECT_EQ(in.target, target) << std::hex << half;
    }
    EXPECT_EQ(short_risc(0x9782).writes & 0xc0302U, 2U);  // ra; callees keep s0–s3 and more
}

void expect_access(const Instruction& in, const MemoryOperand& operand) {
    ASSERT_EQ(in.memory_operands, 1);
    EXPECT_EQ(in.memory[0], operand);
    EXPECT_EQ(in.writes_memory, operand.is_written);
}

TEST(Riscv64, DescribesLoadsAndStores) {
    expect_access(risc(0x01013503), {.base = 2, .width = 8, .is_read = true, .displacement = 16});  // ld a0, 16(sp)
    expect_access(risc(0xfe113c23),
                  {.base = 2, .width = 8, .is_written = true, .displacement = -8});                   // sd ra, -8(sp)
    expect_access(risc(0x00072703), {.base = 14, .width = 4, .is_read = true});                       // lw a4, 0(a4)
    expect_access(risc(0x00853507), {.base = 10, .width = 8, .is_read = true, .displacement = 8});    // fld
    expect_access(short_risc(0x60e2), {.base = 2, .width = 8, .is_read = true, .displacement = 24});  // c.ldsp
    expect_access(short_risc(0xec06), {.base = 2, .width = 8, .is_written = true, .displacement = 24});  // c.sdsp
    expect_access(short_risc(0x43d8), {.base = 15, .width = 4, .is_read = true, .displacement = 4});     // c.lw
    expect_access(short_risc(0xc3d8), {.base = 15, .width = 4, .is_written = true, .displacement = 4});  // c.sw
    expect_access(short_risc(0x6588), {.base = 11, .width = 8, .is_read = true, .displacement = 8});     // c.ld
    expect_access(short_risc(0x2508), {.base = 10, .width = 8, .is_read = true, .displacement = 8});     // c.fld
    EXPECT_TRUE(risc(0x00072703).is_signed);
    EXPECT_TRUE(risc(0x00853507).writes_other);
    EXPECT_EQ(risc(0x00853507).writes, 0U);
    EXPECT_TRUE(risc(0x0cb6252f).is_try);          // amoswap.w.aq
    EXPECT_FALSE(risc(0x1006252f).writes_memory);  // lr.w
    EXPECT_TRUE(risc(0x18b6252f).writes_memory);   // sc.w
    EXPECT_FALSE(risc(0x18b6252f).is_try);
    EXPECT_EQ(risc(0xc2051553).writes, 1U << 10U);  // fcvt.w.d a0, fa0
    EXPECT_EQ(risc(0x02b57553).writes, 0U);         // fadd.d
    EXPECT_TRUE(risc(0x0100000f).is_pause);
    EXPECT_EQ(risc(0x0000000b).writes, ~0U);  // of an extension of somebody's own: not known
}

void expect_sum(const Instruction& in, std::uint8_t destination, std::uint8_t source, std::uint8_t source2,
                std::uint8_t scale, std::int64_t constant) {
    EXPECT_EQ(in.operation, Operation::kSum);
    EXPECT_EQ(in.destination, destination);
    EXPECT_EQ(in.source, source);
    EXPECT_EQ(in.source2, source2);
    EXPECT_EQ(in.scale, scale);
    EXPECT_EQ(in.constant, constant);
}

TEST(Riscv64, KnowsWhatAddressesAreMadeOf) {
    expect_sum(risc(0xfff50513), 10, 10, kNoRegister, 1, -1);                 // addi a0, a0, -1
    expect_sum(risc(0x00271713), 14, kNoRegister, 14, 4, 0);                  // slli a4, a4, 2
    expect_sum(risc(0x00001697), 13, kNoRegister, kNoRegister, 1, 0x2000);    // auipc a3, 1
    expect_sum(risc(0x000126b7), 13, kNoRegister, kNoRegister, 1, 0x12000);   // lui a3, 0x12
    expect_sum(risc(0x00d70733), 14, 14, 13, 1, 0);                           // add a4, a4, a3
    expect_sum(short_risc(0x852e), 10, kNoRegister, 11, 1, 0);                // c.mv a0, a1
    expect_sum(short_risc(0x952e), 10, 10, 11, 1, 0);                         // c.add a0, a1
    expect_sum(short_risc(0x157d), 10, 10, kNoRegister, 1, -1);               // c.addi a0, -1
    expect_sum(short_risc(0x713d), 2, 2, kNoRegister, 1, -32);                // c.addi16sp sp, -32
    expect_sum(short_risc(0x0808), 10, 2, kNoRegister, 1, 16);                // c.addi4spn a0, sp, 16
    expect_sum(short_risc(0x4515), 10, kNoRegister, kNoRegister, 1, 5);       // c.li a0, 5
    expect_sum(short_risc(0x6505), 10, kNoRegister, kNoRegister, 1, 0x1000);  // c.lui a0, 1
    expect_sum(short_risc(0x050a), 10, kNoRegister, 10, 4, 0);                // c.slli a0, 2
    EXPECT_EQ(risc(0x02071713).operation, Operation::kShift);                 // slli a4, a4, 32
    EXPECT_EQ(risc(0x02071713).constant, 32);
    EXPECT_EQ(risc(0x01e75713).constant, -30);                // srli a4, a4, 30
    EXPECT_EQ(short_risc(0x8179).constant, -30);              // c.srli a0, 30
    EXPECT_EQ(risc(0x00f57513).operation, Operation::kMask);  // andi a0, a0, 15
    EXPECT_EQ(short_risc(0x893d).constant, 15);               // c.andi a0, 15
    const Instruction compare = risc(0xfee7fee3);             // bgeu a5, a4
    EXPECT_EQ(compare.operation, Operation::kCompare);
    EXPECT_EQ(compare.source, 15);
    EXPECT_EQ(compare.source2, 14);
    EXPECT_EQ(compare.condition, Condition::kAboveOrEqual);
}

}  // namespace
}  // namespace kymo::program
