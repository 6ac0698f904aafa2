// aarch64, RISC-V and LoongArch: walks over programs and stacks made by hand, of one shape on each:
//
//   100  main: with a frame pointer, calls work
//   140  work: without one; calls leaf, then bare
//   180  leaf: leaves everything where it is
//   1a0  bare: without rules; calls leaf
//   200  start: a thread's; calls main
//   240  the vDSO's return from a signal handler, which the kernel enters at its first instruction; code of another
//   function
//        stands right before it
//
// The instructions are what the assemblers make of the text beside them.
#include "made_program.h"
#include "unwind/aarch64/arch.h"
#include "unwind/loongarch64/arch.h"
#include "unwind/riscv64/arch.h"

#include <gtest/gtest.h>

namespace kymo::unwind::test {
namespace {

// What differs between them. Return addresses as offsets in the code; places of saved registers from the function's
// stack pointer up.
struct Shape {
    std::uint64_t main_calls_work, work_calls_leaf, work_calls_bare, bare_calls_leaf,
        start_calls_main;                                             // where they return
    std::uint64_t main_return_at, main_frame_at, main_frame_pointer;  // of 32 bytes
    std::uint64_t work_return_at;                                     // of 48
    std::uint64_t bare_return_at;                                     // of 16
    std::vector<std::uint64_t> outside_bare, inside_bare;             // instructions
    unsigned cfa_base;                                                // of main's rule
    unsigned cfa_offset;
    std::uint64_t context_pc;  // from the signal frame's begin
    std::uint64_t context_registers;
};

template <class Arch>
const Shape& shape_of();
template <class Arch>
void put_code(MadeProgram<Arch>& program);

template <>
const Shape& shape_of<aarch64::Arch>() {
    static const Shape shape = {
        0x10C, 0x148, 0x14C,     0x1B0,    0x204, 8, 0, 0, 0, 8, {0x1A0, 0x1A4, 0x1B4, 0x1B8}, {0x1A8, 0x1AC, 0x1B0},
        29,    32,    128 + 440, 128 + 184};
    return shape;
}
template <>
void put_code(MadeProgram<aarch64::Arch>& program) {
    program.put_code<std::uint32_t>(0x100, {0xA9BE7BFD,    // stp x29, x30, [sp, #-32]!
                                            0x910003FD,    // mov x29, sp
                                            0x9400000E,    // bl work
                                            0xA8C27BFD,    // ldp x29, x30, [sp], #32
                                            0xD65F03C0});  // ret
    program.put_code<std::uint32_t>(0x140, {0xF81D0FFE,    // str x30, [sp, #-48]!
                                            0x9400000F,    // bl leaf
                                            0x94000016,    // bl bare
                                            0xF84307FE,    // ldr x30, [sp], #48
                                            0xD65F03C0});  // ret
    program.put_code<std::uint32_t>(0x180, {0x11000400,    // add w0, w0, #1
                                            0xD65F03C0});  // ret
    program.put_code<std::uint32_t>(0x1A0, {0xD503233F,    // paciasp
                                            0xA9BF7BFD,    // stp x29, x30, [sp, #-16]!
                                            0x910003FD,    // mov x29, sp
                                            0x97FFFFF5,    // bl leaf
                                            0xA8C17BFD,    // ldp x29, x30, [sp], #16
                                            0xD50323BF,    // autiasp
                                            0xD65F03C0});  // ret
    program.put_code<std::uint32_t>(0x200, {0x97FFFFC0,    // bl main
                                            0x14000000});  // b .
    program.put_code<std::uint32_t>(0x240, {0xD2801168,    // mov x8, #139
                                            0xD4000001});  // svc #0
}

template <>
const Shape& shape_of<riscv64::Arch>() {
    static const Shape shape = {0x114, 0x14C, 0x150,          0x1A8,          0x204, 24, 16,        32,
                                40,    8,     {0x1A0, 0x1AC}, {0x1A4, 0x1A8}, 8,     0,  128 + 176, 128 + 176};
    return shape;
}
template <>
void put_code(MadeProgram<riscv64::Arch>& program) {
    program.put_code<std::uint32_t>(0x100, {0xFE010113,      // addi sp, sp, -32
                                            0x00113C23,      // sd ra, 24(sp)
                                            0x00813823,      // sd s0, 16(sp)
                                            0x02010413,      // addi s0, sp, 32
                                            0x030000EF,      // jal work
                                            0x01813083,      // ld ra, 24(sp)
                                            0x01013403,      // ld s0, 16(sp)
                                            0x02010113,      // addi sp, sp, 32
                                            0x00008067});    // ret
    program.put_code<std::uint32_t>(0x140, {0xFD010113,      // addi sp, sp, -48
                                            0x02113423,      // sd ra, 40(sp)
                                            0x038000EF,      // jal leaf
                                            0x054000EF,      // jal bare
                                            0x02813083,      // ld ra, 40(sp)
                                            0x03010113,      // addi sp, sp, 48
                                            0x00008067});    // ret
    program.put_code<std::uint32_t>(0x180, {0x0015051B,      // addiw a0, a0, 1
                                            0x00008067});    // ret
    program.put_code<std::uint16_t>(0x1A0, {0x717D,          // c.addi16sp -16
                                            0xE406,          // c.sdsp ra, 8
                                            0xF0EF, 0xFDDF,  // jal leaf
                                            0x60A2,          // c.ldsp ra, 8
                                            0x6141,          // c.addi16sp 16
                                            0x8082});        // c.jr ra
    program.put_code<std::uint32_t>(0x200, {0xF01FF0EF,      // jal main
                                            0x0000006F});    // j .
    program.put_code<std::uint32_t>(0x240, {0x08B00893,      // li a7, 139
                                            0x00000073});    // ecall
}

template <>
const Shape& shape_of<loongarch64::Arch>() {
    static const Shape shape = {0x114, 0x14C, 0x150,          0x1AC,          0x204, 24, 16,        32,
                                40,    8,     {0x1A0, 0x1B4}, {0x1A8, 0x1AC}, 22,    0,  128 + 176, 128 + 184};
    return shape;
}
template <>
void put_code(MadeProgram<loongarch64::Arch>& program) {
    program.put_code<std::uint32_t>(0x100, {0x02FF8063,    // addi.d $sp, $sp, -32
                                            0x29C06061,    // st.d $ra, $sp, 24
                                            0x29C04076,    // st.d $fp, $sp, 16
                                            0x02C08076,    // addi.d $fp, $sp, 32
                                            0x54003000,    // bl work
                                            0x28C06061,    // ld.d $ra, $sp, 24
                                            0x28C04076,    // ld.d $fp, $sp, 16
                                            0x02C08063,    // addi.d $sp, $sp, 32
                                            0x4C000020});  // jr $ra
    program.put_code<std::uint32_t>(0x140, {0x02FF4063,    // addi.d $sp, $sp, -48
                                            0x29C0A061,    // st.d $ra, $sp, 40
                                            0x54003800,    // bl leaf
                                            0x54005400,    // bl bare
                                            0x28C0A061,    // ld.d $ra, $sp, 40
                                            0x02C0C063,    // addi.d $sp, $sp, 48
                                            0x4C000020});  // jr $ra
    program.put_code<std::uint32_t>(0x180, {0x02800484,    // addi.w $a0, $a0, 1
                                            0x4C000020});  // jr $ra
    program.put_code<std::uint32_t>(0x1A0, {0x02FFC063,    // addi.d $sp, $sp, -16
                                            0x29C02061,    // st.d $ra, $sp, 8
                                            0x57FFDBFF,    // bl leaf
                                            0x28C02061,    // ld.d $ra, $sp, 8
                                            0x02C04063,    // addi.d $sp, $sp, 16
                                            0x4C000020});  // jr $ra
    program.put_code<std::uint32_t>(0x200, {0x57FF03FF,    // bl main
                                            0x50000000});  // b .
    program.put_code<std::uint32_t>(0x240, {0x03822C0B,    // ori $a7, $zero, 139
                                            0x002B0000});  // syscall 0
}

// Rules of the functions' bodies, which is where these walks are.
template <class Arch>
FrameBytes rules_of() {
    using Rules = typename Arch::Rules;
    const Shape& shape = shape_of<Arch>();
    const auto byte = [](std::uint64_t value) { return static_cast<std::uint8_t>(value); };
    const auto saved = [&](unsigned number, std::uint64_t size, std::uint64_t at) {
        return Bytes{byte(kOffset + number), byte((size - at) / 8)};
    };
    const auto joined = [](std::initializer_list<Bytes> parts) {
        Bytes all;
        for (const Bytes& part : parts) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    };
    const unsigned sp = Rules::kStackPointer;
    const unsigned ra = Rules::kReturnAddress;
    FrameBytes rules(FrameSectionKind::kDebugFrame);
    FrameBytes::Common common;
    common.augmentation = "";
    common.return_register = byte(ra);
    common.program = {kDefCfa, byte(sp), 0};
    rules.cie(common);
    rules.fde(0x100, 0x28,
              joined({{kDefCfa, byte(shape.cfa_base), byte(shape.cfa_offset)},
                      saved(ra, 32, shape.main_return_at),
                      saved(Rules::kPreserved[0], 32, shape.main_frame_at)}));
    rules.fde(0x140, 0x20, joined({{kDefCfaOffset, 48}, saved(ra, 48, shape.work_return_at)}));
    rules.fde(0x180, 0x8, {});
    rules.fde(0x200, 0x8, {kUndefined, byte(ra)});
    rules.fde(0x220, 0x20, {kDefCfaOffset, 16, byte(kOffset + ra), 1});
    common.augmentation = "S";  // and no word of the registers, as in the vDSOs
    rules.cie(common);
    rules.fde(0x240, 0x8, {});
    return rules;
}

template <class Arch>
class MadeWalk : public testing::Test {
  protected:
    using Rules = typename Arch::Rules;
    using Registers = typename Arch::Registers;
    static constexpr std::uint64_t kStart = MadeProgram<Arch>::kStack + 0xA00;  // stack pointers
    static constexpr std::uint64_t kMain = kStart - 32;
    static constexpr std::uint64_t kWork = kMain - 48;
    static constexpr std::uint64_t kBare = kWork - 16;

    MadeWalk() : program(rules_of<Arch>()) {
        put_code(program);
        program.put(kMain + shape.main_return_at, program.address(shape.start_calls_main));
        program.put(kMain + shape.main_frame_at, 0);
        program.put(kWork + shape.work_return_at, program.address(shape.main_calls_work));
        program.put(kBare + shape.bare_return_at, program.address(shape.work_calls_bare));
        program.put(kBare, shape.bare_return_at != 0 ? kMain + shape.main_frame_pointer : 0);  // where that is saved
    }

    Registers at(std::uint64_t offset, std::uint64_t sp, std::uint64_t return_offset) {
        Registers registers;
        registers.pc = program.address(offset);
        registers.general[Rules::kStackPointer] = sp;
        registers.general[Rules::kReturnAddress] = program.address(return_offset);
        registers.general[Rules::kPreserved[0]] = kMain + shape.main_frame_pointer;
        return registers;
    }
    // From work outwards, after the offsets given.
    std::vector<std::uint64_t> then_main(std::vector<std::uint64_t> offsets) {
        offsets.push_back(shape.main_calls_work - 1);
        offsets.push_back(shape.start_calls_main - 1);
        return offsets;
    }
    void expect(const Registers& from, const std::vector<std::uint64_t>& offsets, bool recovered,
                PathEnd end = PathEnd::kComplete) {
        const auto path = program.walk(from);
        EXPECT_EQ(path.offsets, offsets);
        EXPECT_EQ(path.result.recovered, recovered);
        EXPECT_EQ(path.result.end, end);
    }

    const Shape& shape = shape_of<Arch>();
    MadeProgram<Arch> program;
};

struct ArchitectureName {
    template <class Arch>
    static std::string GetName(int /*index*/) {
        return std::is_same_v<Arch, aarch64::Arch>   ? "aarch64"
               : std::is_same_v<Arch, riscv64::Arch> ? "riscv64"
                                                     : "loongarch64";
    }
};
using MadeArchitectures = testing::Types<aarch64::Arch, riscv64::Arch, loongarch64::Arch>;
TYPED_TEST_SUITE(MadeWalk, MadeArchitectures, ArchitectureName);

// ok, then stop: the thread's start has no return address.
TYPED_TEST(MadeWalk, FromALeafToTheThreadsStart) {
    const Shape& shape = this->shape;
    for (const std::uint64_t in_leaf : {0x180ULL, 0x184ULL}) {
        this->expect(this->at(in_leaf, this->kWork, shape.work_calls_leaf),
                     this->then_main({in_leaf, shape.work_calls_leaf - 1}), false);
    }
}

// leaf is the handler; the kernel interrupted leaf, called by work.
TYPED_TEST(MadeWalk, ThroughASignalFrame) {
    using Rules = typename TypeParam::Rules;
    const Shape& shape = this->shape;
    const std::uint64_t frame = this->kStart - 0x600;
    const auto interrupted = this->at(0x184, this->kWork, shape.work_calls_leaf);
    for (const unsigned number : {Rules::kStackPointer, Rules::kReturnAddress, Rules::kPreserved[0]}) {
        this->program.put(frame + shape.context_registers + 8 * number, interrupted.general[number]);
    }
    this->program.put(frame + shape.context_pc, interrupted.pc);
    this->expect(this->at(0x180, frame, 0x240), this->then_main({0x180, 0x240, 0x184, shape.work_calls_leaf - 1}),
                 false);
}

// The handler has no rules, and the code that it returns to stands behind no call.
TYPED_TEST(MadeWalk, RecoversAHandlersReturn) {
    using Rules = typename TypeParam::Rules;
    const Shape& shape = this->shape;
    const std::uint64_t frame = this->kStart - 0x600;
    const auto interrupted = this->at(0x184, this->kWork, shape.work_calls_leaf);
    for (const unsigned number : {Rules::kStackPointer, Rules::kReturnAddress, Rules::kPreserved[0]}) {
        this->program.put(frame + shape.context_registers + 8 * number, interrupted.general[number]);
    }
    this->program.put(frame + shape.context_pc, interrupted.pc);
    this->program.put(frame - 16 + shape.bare_return_at, this->program.address(0x240));
    this->expect(this->at(shape.inside_bare.back(), frame - 16, shape.bare_calls_leaf),
                 this->then_main({shape.inside_bare.back(), 0x240, 0x184, shape.work_calls_leaf - 1}), true);
}

// error: no rule. The caller is found by what the function does until it returns.
TYPED_TEST(MadeWalk, RecoversAtEachInstructionOfAFunctionWithoutRules) {
    const Shape& shape = this->shape;
    for (const std::uint64_t outside : shape.outside_bare) {
        this->expect(this->at(outside, this->kWork, shape.work_calls_bare),
                     this->then_main({outside, shape.work_calls_bare - 1}), true);
    }
    for (const std::uint64_t inside : shape.inside_bare) {  // the register has another return address by then
        this->expect(this->at(inside, this->kBare, shape.bare_calls_leaf),
                     this->then_main({inside, shape.work_calls_bare - 1}), true);
    }
    this->expect(this->at(0x180, this->kBare, shape.bare_calls_leaf),
                 this->then_main({0x180, shape.bare_calls_leaf - 1, shape.work_calls_bare - 1}), true);
}

TYPED_TEST(MadeWalk, StopsAtAReturnAddressOfZero) {
    const Shape& shape = this->shape;
    this->program.put(this->kMain + shape.main_return_at, 0);
    this->expect(this->at(0x180, this->kWork, shape.work_calls_leaf),
                 {0x180, shape.work_calls_leaf - 1, shape.main_calls_work - 1}, false);
}

// error, and nothing to recover from.
TYPED_TEST(MadeWalk, EndsWhereNothingIsFound) {
    const Shape& shape = this->shape;
    this->program.put(this->kBare + shape.bare_return_at, 0x1234);
    auto from = this->at(shape.inside_bare.back(), this->kBare, shape.bare_calls_leaf);
    from.general[TypeParam::Rules::kPreserved[0]] = 0x10;
    this->expect(from, {shape.inside_bare.back()}, false, PathEnd::kNoRule);
    this->expect(this->at(0x180, this->kStart + 0x600, shape.work_calls_leaf), {0x180, shape.work_calls_leaf - 1},
                 false, PathEnd::kOutsideStack);
}

// With pointer authentication the upper bits of saved return addresses are a signature; that in the register is
// signed, too, between paciasp and the store.
TEST(SignedReturnAddresses, AreWalked) {
    constexpr std::uint64_t kSignature = 0x005A000000000000;
    using Program = MadeProgram<aarch64::Arch>;
    Program program(rules_of<aarch64::Arch>());
    put_code(program);
    constexpr std::uint64_t kWork = Program::kStack + 0x800;
    constexpr std::uint64_t kBare = kWork - 16;
    program.put(kWork, program.address(0x10C) | kSignature);  // work's frame of 48 bytes, then main's of 32
    program.put(kWork + 48, 0);
    program.put(kWork + 56, program.address(0x204) | kSignature);
    program.put(kBare, kWork + 48);
    program.put(kBare + 8, program.address(0x14C) | kSignature);
    aarch64::Registers from;
    from.pc = program.address(0x1B0);  // in bare
    from.general[31] = kBare;
    from.general[30] = program.address(0x1B0);
    from.general[29] = kBare;
    EXPECT_EQ(program.walk(from).offsets, (std::vector<std::uint64_t>{0x1B0, 0x14B, 0x10B, 0x203}));
    from.pc = program.address(0x1A4);  // behind paciasp
    from.general[31] = kWork;
    from.general[30] = program.address(0x14C) | kSignature;
    from.general[29] = kWork + 48;
    const Program::Path path = program.walk(from);
    EXPECT_EQ(path.offsets, (std::vector<std::uint64_t>{0x1A4, 0x14B, 0x10B, 0x203}));
    EXPECT_EQ(path.result.end, PathEnd::kComplete);
}

}  // namespace
}  // namespace kymo::unwind::test
