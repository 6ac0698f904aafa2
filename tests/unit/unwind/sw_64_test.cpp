// Sunway sw_64: rows, walks and recovery over a program and stacks that are made by hand, as no such machine is at
// hand. The instructions were assembled by the encodings that unwind/sw_64/epilogue.h cites, the signal frame by
// context.h.
//
//        0  main: with a frame pointer              work: without
//      100  fbdeffe0  ldi   $30, -32($30)         140  fbdeffd0  ldi   $30, -48($30)
//      104  af5e0000  stl   $26, 0($30)           144  af5e0000  stl   $26, 0($30)
//      108  adfe0008  stl   $15, 8($30)           148  1740000d  bsr   $26, 180
//      10c  43fe074f  mov   $30, $15              14c  17400014  bsr   $26, 1a0
//      110  1740000b  bsr   $26, 140              150  8f5e0000  ldl   $26, 0($30)
//      114  43ef075e  mov   $15, $30              154  fbde0030  ldi   $30, 48($30)
//      118  8f5e0000  ldl   $26, 0($30)           158  0bfa0001  ret   $31, ($26)
//      11c  8dfe0008  ldl   $15, 8($30)           leaf
//      120  fbde0020  ldi   $30, 32($30)          180  4a002100  addl  $16, 1, $0
//      124  0bfa0001  ret   $31, ($26)            184  0bfa0001  ret   $31, ($26)
//           bare: without rules                        endless: without rules, and it never returns
//      1a0  fbdefff0  ldi   $30, -16($30)         1c0  fbdeffe0  ldi   $30, -32($30)
//      1a4  af5e0000  stl   $26, 0($30)           1c4  af5e0000  stl   $26, 0($30)
//      1a8  175ffff5  bsr   $26, 180              1c8  adfe0008  stl   $15, 8($30)
//      1ac  8f5e0000  ldl   $26, 0($30)           1cc  43fe074f  mov   $30, $15
//      1b0  fbde0010  ldi   $30, 16($30)          1d0  175fffeb  bsr   $26, 180
//      1b4  0bfa0001  ret   $31, ($26)            1d4  13fffffe  br    $31, 1d0
//           start: a thread's                          the vDSO's return from a signal handler
//      200  fbdefff0  ldi   $30, -16($30)         240  43ff075f  nop
//      204  175fffbe  bsr   $26, 100              244  43fe0750  mov   $30, $16
//      208  13ffffff  br    $31, 208              248  f81f015f  ldi   $0, 351($31)
//           an entry of the linkage table         24c  02000083  sys_call 0x83
//      260  ff7b0001  ldih  $27, 1($27)                both: rules by $30 throughout
//      264  8f7b0000  ldl   $27, 0($27)           280  fbdeffe0  ldi   $30, -32($30)
//      268  0ffb0000  jmp   $31, ($27)            284  af5e0000  stl   $26, 0($30)
//                                                 288  adfe0008  stl   $15, 8($30)
//                                                 28c  43fe074f  mov   $30, $15
//                                                 290  17400000  bsr   $26, …
#include "made_program.h"
#include "rule_text.h"
#include "unwind/sw_64/arch.h"

#include <gmock/gmock.h>

namespace kymo::unwind::test {
namespace {

using testing::ElementsAre;
using Sunway = MadeProgram<sw_64::Arch>;

FrameBytes sunway_rules() {
    FrameBytes rules(FrameSectionKind::kDebugFrame);
    FrameBytes::Common common;
    common.augmentation = "";
    common.code_alignment = 4;
    common.return_register = 26;
    common.program = {kDefCfa, 30, 0};
    rules.cie(common);
    rules.fde(0x100, 0x28,
              {kAdvance + 1,
               kDefCfaOffset,
               32,
               kAdvance + 1,
               kOffset + 26,
               4,
               kAdvance + 1,
               kOffset + 15,
               3,
               kAdvance + 1,
               kDefCfaRegister,
               15,
               kAdvance + 2,
               kDefCfaRegister,
               30,
               kAdvance + 1,
               kRestore + 26,
               kAdvance + 1,
               kRestore + 15,
               kAdvance + 1,
               kDefCfaOffset,
               0});
    rules.fde(0x140, 0x1C,
              {kAdvance + 1, kDefCfaOffset, 48, kAdvance + 1, kOffset + 26, 6, kAdvance + 3, kRestore + 26,
               kAdvance + 1, kDefCfaOffset, 0});
    rules.fde(0x180, 0x8, {});
    rules.fde(0x200, 0xC, {kUndefined, 26, kAdvance + 1, kDefCfaOffset, 16});
    rules.fde(0x280, 0x20,
              {kAdvance + 1, kDefCfaOffset, 32, kAdvance + 1, kOffset + 26, 4, kAdvance + 1, kOffset + 15, 3});
    // As in the vDSO: a return column of its own, of which the other rules know nothing.
    common.augmentation = "S";
    common.return_register = 64;
    rules.cie(common);
    rules.fde(0x240, 0x10, {kDefCfaOffset, 0x80, 0x0C});
    return rules;
}

class SunwayWalk : public testing::Test {
  protected:
    static constexpr std::uint64_t kStart = Sunway::kStack + 0xA00;  // the stack pointer in start
    static constexpr std::uint64_t kMain = kStart - 32;              // in main, and its frame pointer
    static constexpr std::uint64_t kWork = kMain - 48;

    SunwayWalk() : program(sunway_rules()) {
        program.put_code<std::uint32_t>(0x100, {0xFBDEFFE0, 0xAF5E0000, 0xADFE0008, 0x43FE074F, 0x1740000B,
                                                0x43EF075E, 0x8F5E0000, 0x8DFE0008, 0xFBDE0020, 0x0BFA0001});
        program.put_code<std::uint32_t>(
            0x140, {0xFBDEFFD0, 0xAF5E0000, 0x1740000D, 0x17400014, 0x8F5E0000, 0xFBDE0030, 0x0BFA0001});
        program.put_code<std::uint32_t>(0x180, {0x4A002100, 0x0BFA0001});
        program.put_code<std::uint32_t>(0x1A0,
                                        {0xFBDEFFF0, 0xAF5E0000, 0x175FFFF5, 0x8F5E0000, 0xFBDE0010, 0x0BFA0001});
        program.put_code<std::uint32_t>(0x1C0,
                                        {0xFBDEFFE0, 0xAF5E0000, 0xADFE0008, 0x43FE074F, 0x175FFFEB, 0x13FFFFFE});
        program.put_code<std::uint32_t>(0x200, {0xFBDEFFF0, 0x175FFFBE, 0x13FFFFFF});
        program.put_code<std::uint32_t>(0x240, {0x43FF075F, 0x43FE0750, 0xF81F015F, 0x02000083});
        program.put_code<std::uint32_t>(0x260, {0xFF7B0001, 0x8F7B0000, 0x0FFB0000});
        program.put_code<std::uint32_t>(0x280, {0xFBDEFFE0, 0xAF5E0000, 0xADFE0008, 0x43FE074F, 0x17400000});
        program.put(kMain, program.address(0x208));  // main's frame: its return address,
        program.put(kMain + 8, 0);                   // and start's frame pointer
        program.put(kWork, program.address(0x114));
    }

    sw_64::Registers at(std::uint64_t offset, std::uint64_t sp, std::uint64_t return_offset,
                        std::uint64_t frame_pointer = kMain) {
        sw_64::Registers registers;
        registers.pc = program.address(offset);
        registers.general[30] = sp;
        registers.general[26] = program.address(return_offset);
        registers.general[15] = frame_pointer;
        return registers;
    }

    void expect(const sw_64::Registers& from, const std::vector<std::uint64_t>& offsets, bool recovered,
                PathEnd end = PathEnd::kComplete) {
        const Sunway::Path path = program.walk(from);
        EXPECT_EQ(path.offsets, offsets);
        EXPECT_EQ(path.result.recovered, recovered);
        EXPECT_EQ(path.result.end, end);
    }

    Sunway program;
};

TEST(SunwayRows, SayWhereReturnAddressAndFramePointerAre) {
    const FrameBytes rules = sunway_rules();
    const Compiled compiled({}, rules.section(), 0, 0x1000, compile_for<sw_64::RulePacker>);
    EXPECT_THAT(rows_of<sw_64::Rules>(compiled.table()),
                ElementsAre("0 none", "100 sp+0", "104 sp+32", "108 sp+32 ra=c-32", "10c sp+32 ra=c-32 fp=c-24",
                            "110 fp+32 ra=c-32 fp=c-24", "118 sp+32 ra=c-32 fp=c-24", "11c sp+32 fp=c-24",
                            "120 sp+32", "124 sp+0", "128 none", "140 sp+0", "144 sp+48", "148 sp+48 ra=c-48",
                            "154 sp+48", "158 sp+0", "15c none", "180 sp+0", "188 none", "200 bottom", "20c none",
                            "280 sp+0", "284 sp+32", "288 sp+32 ra=c-32", "28c sp+32 ra=c-32 fp=c-24", "2a0 none"));
}

// ok, again and again, then stop: the thread's start has no return address.
TEST_F(SunwayWalk, FromALeafToTheThreadsStart) {
    expect(at(0x180, kWork, 0x14C), {0x180, 0x14B, 0x113, 0x207}, false);
    expect(at(0x184, kWork, 0x14C), {0x184, 0x14B, 0x113, 0x207}, false);
}

TEST_F(SunwayWalk, AtEachInstructionOfAnOrdinaryFunction) {
    for (const std::uint64_t before : {0x140ULL, 0x158ULL}) {
        expect(at(before, kMain, 0x114), {before, 0x113, 0x207}, false);
    }
    expect(at(0x144, kWork, 0x114), {0x144, 0x113, 0x207}, false);
    for (const std::uint64_t inside : {0x148ULL, 0x14CULL, 0x150ULL}) {  // $26 has other things to say by then
        expect(at(inside, kWork, 0x150), {inside, 0x113, 0x207}, false);
    }
    expect(at(0x154, kWork, 0x114), {0x154, 0x113, 0x207}, false);
}

TEST_F(SunwayWalk, AtEachInstructionOfAFunctionWithAFramePointer) {
    expect(at(0x100, kStart, 0x208, 0), {0x100, 0x207}, false);
    for (const std::uint64_t inside : {0x104ULL, 0x108ULL, 0x10CULL}) {
        expect(at(inside, kMain, 0x208, 0), {inside, 0x207}, false);
    }
    expect(at(0x110, kMain, 0x208), {0x110, 0x207}, false);
    expect(at(0x114, kMain - 256, 0x114), {0x114, 0x207}, false);  // by the frame pointer alone
    expect(at(0x118, kMain, 0x114), {0x118, 0x207}, false);
    expect(at(0x11C, kMain, 0x208), {0x11C, 0x207}, false);
    expect(at(0x124, kStart, 0x208, 0), {0x124, 0x207}, false);
}

// leaf is the handler; work was interrupted at 154, with its return address in R26 alone. The frame:
//
//   F         the handler's stack pointer: siginfo_t, 128 bytes
//   F + 128   struct ucontext
//   F + 192   sc_pc
//   F + 208   sc_regs[0], 8 bytes each
TEST_F(SunwayWalk, ThroughASignalFrame) {
    constexpr std::uint64_t kFrame = Sunway::kStack + 0x400;
    program.put(kWork, 0);  // nobody has to look there any more
    program.put(kFrame + 192, program.address(0x154));
    program.put(kFrame + 208 + 8 * 15, kMain);
    program.put(kFrame + 208 + 8 * 26, program.address(0x114));
    program.put(kFrame + 208 + 8 * 30, kWork);
    const std::vector<std::uint64_t> path = {0x184, 0x244, 0x154, 0x113, 0x207};
    expect(at(0x184, kFrame, 0x244), path, false);
}

TEST_F(SunwayWalk, ASignalFrameThatIsCutOffEndsThePath) {
    constexpr std::uint64_t kFrame = Sunway::kStack + 0x1000 - 256;
    expect(at(0x184, kFrame, 0x244), {0x184, 0x243}, false, PathEnd::kNoRule);
}

// error: no rule. The caller is found by what the function does until it returns, wherever it was interrupted.
TEST_F(SunwayWalk, RecoversAtEachInstructionOfAFunctionWithoutRules) {
    constexpr std::uint64_t kBare = kWork - 16;
    program.put(kBare, program.address(0x150));
    for (const std::uint64_t outside : {0x1A0ULL, 0x1B4ULL}) {
        expect(at(outside, kWork, 0x150), {outside, 0x14F, 0x113, 0x207}, true);
    }
    expect(at(0x1A4, kBare, 0x150), {0x1A4, 0x14F, 0x113, 0x207}, true);
    for (const std::uint64_t inside : {0x1A8ULL, 0x1ACULL}) {
        expect(at(inside, kBare, 0x1AC), {inside, 0x14F, 0x113, 0x207}, true);
    }
    expect(at(0x1B0, kBare, 0x150), {0x1B0, 0x14F, 0x113, 0x207}, true);
    expect(at(0x180, kBare, 0x1AC), {0x180, 0x1AB, 0x14F, 0x113, 0x207}, true);  // as a caller
}

TEST_F(SunwayWalk, RecoversInTheLinkageTable) {
    expect(at(0x260, kWork, 0x150), {0x260, 0x14F, 0x113, 0x207}, true);
    expect(at(0x268, kWork, 0x150), {0x268, 0x14F, 0x113, 0x207}, true);
}

// By the frame record, which does not tell where the caller's stack pointer is: main's rule needs the frame pointer
// only.
TEST_F(SunwayWalk, RecoversByTheFrameRecord) {
    constexpr std::uint64_t kEndless = kMain - 32;
    program.put(kEndless, program.address(0x114));
    program.put(kEndless + 8, kMain);
    expect(at(0x180, kEndless, 0x1D4, kEndless), {0x180, 0x1D3, 0x113, 0x207}, true);
    expect(at(0x1D4, kEndless, 0x1D4, kEndless), {0x1D4, 0x113, 0x207}, true);
}

// both's rule counts from the stack pointer, which is not known, but it has a frame record, where the frame pointer
// is.
TEST_F(SunwayWalk, GoesOnByRuleAndFrameRecordTogether) {
    constexpr std::uint64_t kBoth = kMain - 32;
    constexpr std::uint64_t kEndless = kBoth - 32;
    program.put(kBoth, program.address(0x114));
    program.put(kBoth + 8, kMain);
    program.put(kEndless, program.address(0x294));
    program.put(kEndless + 8, kBoth);
    expect(at(0x180, kEndless, 0x1D4, kEndless), {0x180, 0x1D3, 0x293, 0x113, 0x207}, true);
}

// work's rule counts from the stack pointer, too, and it has no frame record: what the frame pointer points to is
// main's, and to go on from there would leave main out.
TEST_F(SunwayWalk, DoesNotTakeAnothersFrameRecord) {
    constexpr std::uint64_t kEndless = kWork - 32;
    program.put(kEndless, program.address(0x150));
    program.put(kEndless + 8, kMain);
    expect(at(0x180, kEndless, 0x1D4, kEndless), {0x180, 0x1D3, 0x14F}, true, PathEnd::kBadRule);
}

// A handler that is known by its frame record alone: where the signal frame is cannot be said, and the interrupted
// function must not be left out.
TEST_F(SunwayWalk, DoesNotGuessWhereASignalFrameIs) {
    constexpr std::uint64_t kEndless = kWork - 32;
    program.put(kEndless, program.address(0x244));
    program.put(kEndless + 8, kMain);
    expect(at(0x1D4, kEndless, 0x1D4, kEndless), {0x1D4}, false, PathEnd::kNoRule);
}

// stop: by convention the outermost frame's return address is 0.
TEST_F(SunwayWalk, StopsAtAReturnAddressOfZero) {
    program.put(kMain, 0);
    expect(at(0x180, kWork, 0x14C), {0x180, 0x14B, 0x113}, false);
}

// error, and nothing to recover from: the path stays partial.
TEST_F(SunwayWalk, EndsWhereNothingIsFound) {
    program.put(kWork - 16, 0x1234);
    expect(at(0x1A8, kWork - 16, 0x1AC, 0x10), {0x1A8}, false, PathEnd::kNoRule);
    expect(at(0x180, Sunway::kStack + 0x1000, 0x14C), {0x180, 0x14B}, false, PathEnd::kOutsideStack);
    // A return address in its register cannot be a caller's: the call has written over it.
    expect(at(0x180, kWork, 0x184), {0x180, 0x183}, false, PathEnd::kBadRule);
}

TEST(SunwayReturns, AreThoseBehindCalls) {
    const auto ends = [](std::uint32_t code) {
        std::array<std::uint8_t, 4> bytes;
        std::memcpy(bytes.data(), &code, sizeof code);
        return sw_64::ends_in_call(bytes);
    };
    EXPECT_TRUE(ends(0x1740000B));   // bsr $26
    EXPECT_TRUE(ends(0x075B0000));   // call $26, ($27)
    EXPECT_FALSE(ends(0x0BFA0001));  // ret
    EXPECT_FALSE(ends(0x13FFFFFF));  // br
    EXPECT_FALSE(sw_64::ends_in_call({}));
}

}  // namespace
}  // namespace kymo::unwind::test
