#include "program/flow/decode.h"

#include "hex.h"

#include <elf.h>
#include <gtest/gtest.h>

namespace kymo::program {
namespace {

constexpr std::uint64_t kAddress = 0x1000;
// DWARF numbers.
constexpr std::uint8_t kRax = 0, kRdx = 1, kRcx = 2, kRbx = 3, kRsi = 4, kRdi = 5, kRbp = 6, kRsp = 7, kR8 = 8;

Instruction decoded(std::string_view text) {
    const auto bytes = hex(text);
    Instruction in;
    Instruction flow;
    EXPECT_TRUE(x86_64_decoder().decode(bytes, kAddress, &in)) << text;
    EXPECT_TRUE(x86_64_decoder().decode_flow(bytes, kAddress, &flow)) << text;
    EXPECT_EQ(in.length, bytes.size()) << text;
    EXPECT_EQ(in.kind, flow.kind) << text;
    EXPECT_EQ(in.length, flow.length) << text;
    EXPECT_EQ(in.has_target, flow.has_target) << text;
    EXPECT_EQ(in.target, flow.target) << text;
    return in;
}

TEST(Decode, TellsWhereControlGoes) {
    using Kind = InstructionKind;
    const std::pair<const char*, Kind> cases[] = {
        {"90", Kind::kPlain},                           // nop
        {"0f 05", Kind::kPlain},                        // syscall
        {"f3 a4", Kind::kPlain},                        // rep movsb
        {"f3 0f 1e fa", Kind::kPlain},                  // endbr64
        {"c6 f8 00", Kind::kPlain},                     // xabort $0
        {"48 01 15 00 20 00 00", Kind::kPlain},         // add %rdx,0x2000(%rip): relative, but no jump
        {"eb fe", Kind::kJump},                         // jmp .
        {"e9 fb 00 00 00", Kind::kJump},                // jmp .+0x100
        {"74 06", Kind::kConditionalJump},              // je
        {"0f 84 00 01 00 00", Kind::kConditionalJump},  // je
        {"e2 b3", Kind::kConditionalJump},              // loop
        {"e3 b1", Kind::kConditionalJump},              // jrcxz
        {"c7 f8 ab ff ff ff", Kind::kConditionalJump},  // xbegin
        {"ff e0", Kind::kIndirectJump},                 // jmp *%rax
        {"3e ff 24 c2", Kind::kIndirectJump},           // notrack jmp *(%rdx,%rax,8)
        {"ff 25 00 01 00 00", Kind::kIndirectJump},     // jmp *0x100(%rip)
        {"e8 00 00 00 00", Kind::kCall},                // call
        {"ff d3", Kind::kIndirectCall},                 // call *%rbx
        {"ff 50 08", Kind::kIndirectCall},              // call *0x8(%rax)
        {"c3", Kind::kReturn},                          // ret
        {"f2 c3", Kind::kReturn},                       // bnd ret
        {"48 cf", Kind::kReturn},                       // iretq
        {"f4", Kind::kTrap},                            // hlt
        {"cc", Kind::kTrap},                            // int3
        {"0f 0b", Kind::kTrap},                         // ud2
    };
    for (const auto& [text, kind] : cases) {
        const Instruction in = decoded(text);
        EXPECT_EQ(in.kind, kind) << text;
        const bool direct = kind == Kind::kJump || kind == Kind::kConditionalJump || kind == Kind::kCall;
        EXPECT_EQ(in.has_target, direct) << text;
    }
    EXPECT_EQ(decoded("eb fe").target, kAddress);
    EXPECT_EQ(decoded("e9 fb 00 00 00").target, kAddress + 0x100);
    EXPECT_EQ(decoded("e8 fb ff ff ff").target, kAddress);
}

TEST(Decode, KnowsNewVectorInstructions) {
    decoded("62 d1 7c 48 10 20");  // vmovups (%r8),%zmm4
    decoded("62 f2 75 48 50 c2");  // vpdpbusd %zmm2,%zmm1,%zmm0 (AVX-512 VNNI)
    decoded("c4 e2 78 49 c0");     // tilerelease (AMX)
    decoded("66 0f 38 cf c1");     // gf2p8mulb %xmm1,%xmm0 (GFNI)
}

TEST(Decode, DescribesMemoryOperands) {
    const Instruction load = decoded("48 8b 44 ce 10");  // mov 0x10(%rsi,%rcx,8),%rax
    ASSERT_EQ(load.memory_operands, 1);
    EXPECT_EQ(
        load.memory[0],
        (MemoryOperand{.base = kRsi, .index = kRcx, .scale = 8, .width = 8, .is_read = true, .displacement = 0x10}));
    const Instruction store = decoded("c7 45 fc 01 00 00 00");  // movl $1,-4(%rbp)
    EXPECT_EQ(store.memory[0], (MemoryOperand{.base = kRbp, .width = 4, .is_written = true, .displacement = -4}));
    EXPECT_TRUE(store.writes_memory);

    const Instruction relative = decoded("48 01 15 00 20 00 00");  // add %rdx,0x2000(%rip)
    EXPECT_EQ(relative.memory[0], (MemoryOperand{.width = 8,
                                                 .is_read = true,
                                                 .is_written = true,
                                                 .image_relative = true,
                                                 .displacement = kAddress + 7 + 0x2000}));
    const Instruction thread_local_load = decoded("64 48 8b 04 25 28 00 00 00");  // mov %fs:0x28,%rax
    EXPECT_EQ(thread_local_load.memory[0],
              (MemoryOperand{.segment = Segment::kFs, .width = 8, .is_read = true, .displacement = 0x28}));
    const Instruction locked = decoded("f0 0f b1 0f");  // lock cmpxchg %ecx,(%rdi)
    EXPECT_EQ(locked.memory[0], (MemoryOperand{.base = kRdi, .width = 4, .is_read = true, .is_written = true}));
    EXPECT_EQ(decoded("62 d1 7c 48 10 20").memory[0], (MemoryOperand{.base = kR8, .width = 64, .is_read = true}));
}

TEST(Decode, DescribesBothOperandsOfStringInstructions) {
    const Instruction copy = decoded("f3 a4");  // rep movsb
    ASSERT_EQ(copy.memory_operands, 2);
    EXPECT_EQ(copy.memory[0], (MemoryOperand{.base = kRdi, .width = 1, .is_written = true}));
    EXPECT_EQ(copy.memory[1], (MemoryOperand{.base = kRsi, .width = 1, .is_read = true}));
}

TEST(Decode, DescribesGathers) {
    const Instruction gather = decoded("c4 e2 75 92 1c 90");  // vgatherdps %ymm1,(%rax,%ymm2,4),%ymm3
    ASSERT_EQ(gather.memory_operands, 1);
    EXPECT_EQ(
        gather.memory[0],
        (MemoryOperand{.base = kRax, .index = 2, .scale = 4, .width = 4, .is_read = true, .index_is_vector = true}));
}

TEST(Decode, DoesNotCallAddressesAndStackTrafficAccesses) {
    EXPECT_EQ(decoded("48 8d 15 40 00 00 00").memory_operands, 0);  // lea 0x40(%rip),%rdx
    EXPECT_EQ(decoded("50").memory_operands, 0);                    // push %rax
    EXPECT_TRUE(decoded("50").writes_memory);
    EXPECT_EQ(decoded("c3").memory_operands, 0);      // ret
    const Instruction push = decoded("ff 74 24 08");  // push 0x8(%rsp)
    ASSERT_EQ(push.memory_operands, 1);
    EXPECT_EQ(push.memory[0], (MemoryOperand{.base = kRsp, .width = 8, .is_read = true, .displacement = 8}));
}

TEST(Decode, TellsWhatIsWritten) {
    EXPECT_EQ(decoded("48 87 03").writes, 1U << kRax);  // xchg %rax,(%rbx)
    EXPECT_EQ(decoded("f3 a4").writes, 1U << kRcx | 1U << kRsi | 1U << kRdi);
    EXPECT_EQ(decoded("88 e1").writes, 1U << kRcx);  // mov %ah,%cl
    const Instruction call = decoded("ff d3");
    EXPECT_NE(call.writes & 1U << kRdx, 0U);
    EXPECT_EQ(call.writes & 1U << kRbx, 0U);           // callees keep RBX
    EXPECT_TRUE(decoded("48 83 ef 01").writes_flags);  // sub $1,%rdi
    EXPECT_FALSE(decoded("89 ff").writes_flags);       // mov %edi,%edi
}

TEST(Decode, TellsTheEffectsThatAddressComputationsAreMadeOf) {
    const Instruction address = decoded("48 8d 15 40 00 00 00");  // lea 0x40(%rip),%rdx
    EXPECT_EQ(address.operation, Operation::kSum);
    EXPECT_EQ(address.destination, kRdx);
    EXPECT_EQ(address.source, kNoRegister);
    EXPECT_EQ(address.constant, static_cast<std::int64_t>(kAddress + 7 + 0x40));

    const Instruction load = decoded("48 63 04 ba");  // movslq (%rdx,%rdi,4),%rax
    EXPECT_EQ(load.operation, Operation::kLoad);
    EXPECT_TRUE(load.is_signed);
    EXPECT_EQ(load.bits, 32);
    EXPECT_EQ(load.memory[0].index, kRdi);

    const Instruction sum = decoded("48 01 d0");  // add %rdx,%rax
    EXPECT_EQ(sum.operation, Operation::kSum);
    EXPECT_EQ(sum.source, kRax);
    EXPECT_EQ(sum.source2, kRdx);

    const Instruction less = decoded("48 83 ef 01");  // sub $1,%rdi
    EXPECT_EQ(less.operation, Operation::kSum);
    EXPECT_EQ(less.constant, -1);

    const Instruction compared = decoded("40 80 ff fb");  // cmp $0xfb,%dil
    EXPECT_EQ(compared.operation, Operation::kCompare);
    EXPECT_EQ(compared.source, kRdi);
    EXPECT_EQ(compared.bits, 8);
    EXPECT_EQ(compared.constant, 0xfb);  // not −5

    const Instruction in_memory = decoded("83 7c 24 10 05");  // cmpl $5,0x10(%rsp)
    EXPECT_EQ(in_memory.operation, Operation::kCompare);
    EXPECT_EQ(in_memory.source, kNoRegister);
    EXPECT_EQ(in_memory.memory[0].displacement, 0x10);

    EXPECT_EQ(decoded("0f b6 c8").operation, Operation::kZeroExtend);  // movzbl %al,%ecx
    EXPECT_EQ(decoded("0f b6 c8").bits, 8);
    EXPECT_EQ(decoded("89 ff").operation, Operation::kZeroExtend);  // mov %edi,%edi
    EXPECT_EQ(decoded("89 ff").bits, 32);
    EXPECT_EQ(decoded("83 e0 07").operation, Operation::kMask);  // and $7,%eax
    EXPECT_EQ(decoded("83 e0 07").constant, 7);
    EXPECT_EQ(decoded("88 e1").operation, Operation::kOther);  // mov %ah,%cl keeps the rest of RCX
    EXPECT_EQ(decoded("77 25").condition, Condition::kAbove);  // ja
    EXPECT_EQ(decoded("76 25").condition, Condition::kBelowOrEqual);
    EXPECT_EQ(decoded("73 25").condition, Condition::kAboveOrEqual);
    EXPECT_EQ(decoded("72 25").condition, Condition::kBelow);
    EXPECT_EQ(decoded("7f 25").condition, Condition::kOther);  // jg is signed
    EXPECT_EQ(decoded("ff e0").source, kRax);
}

TEST(Decode, RefusesWhatIsNoInstruction) {
    Instruction in;
    const auto refused = [&](std::string_view text) {
        const auto bytes = hex(text);
        return !x86_64_decoder().decode(bytes, 0, &in) && !x86_64_decoder().decode_flow(bytes, 0, &in);
    };
    EXPECT_TRUE(refused(""));
    EXPECT_TRUE(refused("06"));        // push %es: not in 64-bit mode
    EXPECT_TRUE(refused("e8 00 00"));  // a call cut short
    EXPECT_TRUE(refused("0f"));
    EXPECT_TRUE(refused("66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90"));  // longer than 15 bytes
}

TEST(Decode, IsChosenByMachine) {
    EXPECT_EQ(decoder_for(EM_X86_64), &x86_64_decoder());
    EXPECT_EQ(decoder_for(EM_S390), nullptr);
}

}  // namespace
}  // namespace kymo::program
