// Call-frame programs and the rows that they must become.
#include "frame_bytes.h"
#include "rule_text.h"

#include <gmock/gmock.h>

namespace kymo::unwind::test {
namespace {

using testing::ElementsAre;

TEST(Rows, FramePointerPrologueAndEpilogue) {
    //   1000: push %rbp         .cfi_def_cfa_offset 16; .cfi_offset %rbp, -16
    //   1001: mov %rsp,%rbp     .cfi_def_cfa_register %rbp
    //   1004: … 1040: leave     .cfi_def_cfa %rsp, 8
    //   1041: ret
    FrameBytes frames;
    frames.cie();
    frames.fde(0x1000, 0x42,
               {kAdvance + 1, kDefCfaOffset, 16, kOffset + 6, 2, kAdvance + 3, kDefCfaRegister, 6, kAdvance1, 0x3D,
                kDefCfa, 7, 8, kRestore + 6});
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()), ElementsAre("0 none", "1000 rsp+8", "1001 rsp+16 rbp=c-16",
                                                       "1004 rbp+16 rbp=c-16", "1041 rsp+8", "1042 none"));
    EXPECT_EQ(compiled.table().functions, 1U);
    EXPECT_EQ(compiled.table().bad_functions, 0U);
}

TEST(Rows, PushesOfAllPreservedRegistersAndTwoEpilogues) {
    // What g++ -O2 makes of a function with an early return: .cfi_remember_state before the first epilogue,
    // .cfi_restore_state behind its ret.
    FrameBytes frames;
    frames.cie();
    frames.fde(0x2000, 0x80,
               {kAdvance + 2,
                kDefCfaOffset,
                16,
                kOffset + 15,
                2,  // push %r15
                kAdvance + 2,
                kDefCfaOffset,
                24,
                kOffset + 14,
                3,  // push %r14
                kAdvance + 2,
                kDefCfaOffset,
                32,
                kOffset + 13,
                4,  // push %r13
                kAdvance + 2,
                kDefCfaOffset,
                40,
                kOffset + 12,
                5,  // push %r12
                kAdvance + 1,
                kDefCfaOffset,
                48,
                kOffset + 6,
                6,  // push %rbp
                kAdvance + 1,
                kDefCfaOffset,
                56,
                kOffset + 3,
                7,  // push %rbx
                kAdvance + 4,
                kDefCfaOffset,
                0x90,
                0x01,  // sub $88,%rsp
                kAdvance1,
                0x40,
                kRememberState,
                kDefCfaOffset,
                8,  // (epilogue)
                kRestore + 3,
                kRestore + 6,
                kRestore + 12,
                kRestore + 13,
                kRestore + 14,
                kRestore + 15,
                kAdvance + 1,
                kRestoreState});
    const Compiled compiled(frames.section());
    const std::string all = " rbp=c-48 rbx=c-56 r12=c-40 r13=c-32 r14=c-24 r15=c-16";
    EXPECT_THAT(
        rows_of(compiled.table()),
        ElementsAre("0 none", "2000 rsp+8", "2002 rsp+16 r15=c-16", "2004 rsp+24 r14=c-24 r15=c-16",
                    "2006 rsp+32 r13=c-32 r14=c-24 r15=c-16", "2008 rsp+40 r12=c-40 r13=c-32 r14=c-24 r15=c-16",
                    "2009 rsp+48 rbp=c-48 r12=c-40 r13=c-32 r14=c-24 r15=c-16", "200a rsp+56" + all,
                    "200e rsp+144" + all, "204e rsp+8", "204f rsp+144" + all, "2080 none"));
}

// DWARF 5, appendix D.6: the worked example (there for a made-up machine), with its numbers on x86-64's registers:
// every instruction kind of it in its order.
TEST(Rows, StandardsWorkedExample) {
    FrameBytes frames;
    FrameBytes::Common common;
    common.code_alignment = 4;
    common.data_alignment = 0x7C;  // −4
    common.program = {kDefCfa, 7, 0, kSameValue, 3, kSameValue, 12, kOffset + 16, 2};
    frames.cie(common);
    frames.fde(0x3000, 84,
               {kAdvance + 1,
                kDefCfaOffset,
                12,
                kAdvance + 1,
                kOffset + 6,
                2,
                kAdvance + 1,
                kOffset + 12,
                4,
                kAdvance + 1,
                kDefCfaRegister,
                6,
                kAdvance + 12,
                kRestore + 12,
                kDefCfaRegister,
                7,
                kAdvance + 1,
                kRestore + 6,
                kAdvance + 1,
                kDefCfaOffset,
                0,
                kNop,
                kNop});
    const Compiled compiled(frames.section());
    EXPECT_THAT(
        rows_of(compiled.table()),
        ElementsAre("0 none", "3000 rsp+0", "3004 rsp+12", "3008 rsp+12 rbp=c-8", "300c rsp+12 rbp=c-8 r12=c-16",
                    "3010 rbp+12 rbp=c-8 r12=c-16", "3040 rsp+12 rbp=c-8", "3044 rsp+12", "3048 rsp+0", "3054 none"));
}

TEST(Rows, TheTableKnowsWhereFunctionsBegin) {
    FrameBytes frames;
    frames.cie();
    frames.fde(0x1000, 0x10, {});
    frames.fde(0x1010, 0x10, {kAdvance + 4, kDefCfaOffset, 16});
    frames.fde(0x1030, 0x10, {});
    const Compiled compiled(frames.section());
    const auto function_at = [&](std::uint64_t offset) {
        std::uint64_t begin = 0;
        return compiled.table().function_at(offset, &begin) ? begin : 0;
    };
    EXPECT_EQ(function_at(0xFFF), 0U);
    EXPECT_EQ(function_at(0x1000), 0x1000U);
    EXPECT_EQ(function_at(0x100F), 0x1000U);
    EXPECT_EQ(function_at(0x1014), 0x1010U);
    EXPECT_EQ(function_at(0x1034), 0x1030U);
    EXPECT_EQ(function_at(~std::uint64_t{0}), 0U);
}

TEST(Rows, EqualNeighboursMergeAcrossFunctions) {
    FrameBytes frames;
    frames.cie();
    frames.fde(0x1000, 0x10, {});
    frames.fde(0x1010, 0x10,
               {kAdvance + 4, kGnuArgsSize, 16, kAdvance + 4, kOffset + 0, 5});  // rax: nobody's business
    frames.fde(0x1030, 0x10, {});
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()),
                ElementsAre("0 none", "1000 rsp+8", "1020 none", "1030 rsp+8", "1040 none"));
}

TEST(Rows, FunctionsInAnyOrderAreSorted) {
    FrameBytes frames;
    frames.cie();
    for (std::uint64_t i = 0; i < 500; ++i) {
        const std::uint64_t place = i * 271 % 500;
        frames.fde(0x1000 + place * 0x20, 0x20,
                   {kAdvance + 1, kDefCfaOffset, static_cast<std::uint8_t>(8 + place % 8 * 8)});
    }
    const Compiled compiled(frames.section());
    for (std::uint64_t place = 0; place < 500; ++place) {
        EXPECT_EQ(text_of(compiled.table(), compiled.table().find(0x1000 + place * 0x20 + 5)),
                  "rsp+" + std::to_string(8 + place % 8 * 8));
    }
    for (std::uint32_t i = 1; i < compiled.table().rows; ++i) {
        ASSERT_LT(compiled.table().starts[i - 1], compiled.table().starts[i]);
    }
}

TEST(Rows, WhatDoesNotFitAWordIsExtended) {
    FrameBytes frames;
    frames.cie();
    // The procedure linkage table: .cfi_escape with rsp + 8 + ((rip & 15) >= 11) * 8.
    frames.fde(0x1000, 0x40,
               {kDefCfaOffset, 16, kAdvance + 6, kDefCfaOffset, 24, kAdvance + 10, kDefCfaExpression, 11, 0x77, 8,
                0x80, 0, 0x3F, 0x1A, 0x3B, 0x2A, 0x33, 0x24, 0x22});
    // A frame that aligns its stack: CFA from a saved register.
    frames.fde(0x1100, 0x40,
               {kDefCfa, 10, 0, kAdvance + 8, kDefCfaExpression, 3, 0x76, 0x78, 0x06, kExpression, 6, 2, 0x76, 0});
    frames.fde(0x1200, 0x40, {kUndefined, 16});
    frames.fde(0x1300, 0x40, {kOffsetExtended, 16, 2});
    frames.fde(0x1400, 0x40, {kRegister, 16, 2});
    frames.fde(0x1500, 0x40, {kValOffset, 6, 2});
    frames.fde(0x1600, 0x40, {kUndefined, 6});
    frames.fde(0x1700, 0x40, {kDefCfaOffset, 0x80, 0x80, 0x80, 0x10});  // a frame of 32 MiB
    frames.fde(0x1800, 0x40, {kOffset + 6, 40});                        // saved beyond the word's slots
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()),
                ElementsAre("0 none", "1000 rsp+16", "1006 rsp+24", "1010 extended exp ra=c-8", "1040 none",
                            "1100 r10+0", "1108 extended exp rbp=exp ra=c-8", "1140 none", "1200 bottom", "1240 none",
                            "1300 extended rsp+8 ra=c-16", "1340 none", "1400 extended rsp+8 ra=rcx", "1440 none",
                            "1500 extended rsp+8 rbp=v-16 ra=c-8", "1540 none", "1600 extended rsp+8 rbp=u ra=c-8",
                            "1640 none", "1700 extended rsp+33554432 ra=c-8", "1740 none",
                            "1800 extended rsp+8 rbp=c-320 ra=c-8", "1840 none"));
}

TEST(Rows, ExpressionsAreCopiedIntoTheTable) {
    FrameBytes frames;
    frames.cie();
    frames.fde(0x1000, 0x40, {kDefCfaExpression, 3, 0x76, 0x78, 0x06});
    frames.fde(0x2000, 0x40, {kDefCfaExpression, 3, 0x76, 0x78, 0x06});
    const Compiled compiled(frames.section());
    std::fill(frames.bytes().begin(), frames.bytes().end(), 0);  // the section is gone
    const ExtendedRule* rule = compiled.table().extended_of(compiled.table().find(0x1000));
    ASSERT_NE(rule, nullptr);
    EXPECT_THAT(compiled.table().expression(rule->cfa_value), ElementsAre(0x76, 0x78, 0x06));
    EXPECT_EQ(compiled.table().find(0x1000), compiled.table().find(0x2000)) << "equal rules are kept once";
}

TEST(Rows, SignalFramesAreMarked) {
    FrameBytes frames;
    FrameBytes::Common common;
    common.augmentation = "zRS";
    frames.cie(common);
    frames.fde(0x1000, 9, {kDefCfaExpression, 4, 0x77, 0xA0, 0x01, 0x06, kExpression, 16, 3, 0x77, 0xA8, 0x01});
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()), ElementsAre("0 none", "1000 extended signal exp ra=exp", "1009 none"));
}

TEST(Rows, AugmentationsOfAllKinds) {
    for (const auto& [text, data] : std::vector<std::pair<std::string_view, Bytes>>{
             {"zR", {0x1B}},
             {"zPLR", {0x9B, 1, 2, 3, 4, 0x1B, 0x1B}},  // personality: indirect, relative
             {"zRS", {0x1B}},
             {"zRB", {0x1B}},
             {"zRG", {0x1B}},
             {"zR?", {0x1B, 7, 7, 7}}}) {  // something new behind what is known
        FrameBytes frames;
        FrameBytes::Common common;
        common.augmentation = text;
        common.augmentation_data = data;
        frames.cie(common);
        frames.fde(0x1000, 0x10, {});
        const Compiled compiled(frames.section());
        EXPECT_EQ(compiled.table().functions, 1U) << text;
        EXPECT_NE(kind_of(compiled.table().find(0x1008)), RuleKind::kNone) << text;
    }
}

TEST(Rows, AbsoluteAddressesLoseWhatTheLoaderAdded) {
    FrameBytes frames;
    FrameBytes::Common common;
    common.encoding = 0;
    common.augmentation_data = {0x00};
    frames.cie(common);
    frames.fde(0x7F0000001000, 0x10, {});
    FrameSection section = frames.section();
    section.relocated_by = 0x7F0000000000;
    const Compiled compiled(section);
    EXPECT_THAT(rows_of(compiled.table()), ElementsAre("0 none", "1000 rsp+8", "1010 none"));
}

TEST(Rows, SetLocationAndLongAdvances) {
    FrameBytes frames;
    FrameBytes::Common common;
    common.encoding = 0;
    common.augmentation_data = {0x00};
    frames.cie(common);
    frames.fde(0x1000, 0x80000,
               {kAdvance1,
                0xF0,
                kDefCfaOffset,
                16,
                kAdvance2,
                0x10,
                0x01,
                kDefCfaOffset,
                24,
                kAdvance4,
                0,
                0,
                1,
                0,
                kDefCfaOffset,
                32,
                kSetLoc,
                0x00,
                0x00,
                0x02,
                0,
                0,
                0,
                0,
                0,
                kDefCfaOffset,
                40});
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()), ElementsAre("0 none", "1000 rsp+8", "10f0 rsp+16", "1200 rsp+24",
                                                       "11200 rsp+32", "20000 rsp+40", "81000 none"));
}

TEST(Rows, DebugFrameVersionsAndWidths) {
    for (const std::uint8_t version : {std::uint8_t{1}, std::uint8_t{3}, std::uint8_t{4}}) {
        for (const bool wide : {false, true}) {
            FrameBytes frames(FrameSectionKind::kDebugFrame, wide);
            FrameBytes::Common common;
            common.augmentation = "";
            common.version = version;
            frames.cie(common);
            frames.fde(0x1000, 0x10, {kAdvance + 1, kDefCfaOffset, 16});
            const Compiled compiled({}, frames.section());
            EXPECT_THAT(rows_of(compiled.table()), ElementsAre("0 none", "1000 rsp+8", "1001 rsp+16", "1010 none"))
                << int{version} << wide;
        }
    }
}

TEST(Rows, EhFrameOf64BitLength) {
    FrameBytes frames(FrameSectionKind::kEhFrame, true);
    frames.cie();
    frames.fde(0x1000, 0x10, {});
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()), ElementsAre("0 none", "1000 rsp+8", "1010 none"));
}

TEST(Rows, DebugFrameFillsWhatEhFrameLeaves) {
    FrameBytes eh;
    eh.cie();
    eh.fde(0x1000, 0x10, {kDefCfaOffset, 16});
    FrameBytes debug(FrameSectionKind::kDebugFrame);
    FrameBytes::Common common;
    common.augmentation = "";
    debug.cie(common);
    debug.fde(0x1000, 0x10, {kDefCfaOffset, 32});  // .eh_frame knows better
    debug.fde(0x2000, 0x10, {kDefCfaOffset, 40});
    const Compiled compiled(eh.section(), debug.section());
    EXPECT_THAT(rows_of(compiled.table()),
                ElementsAre("0 none", "1000 rsp+16", "1010 none", "2000 rsp+40", "2010 none"));
}

TEST(Rows, TerminatorInTheMiddle) {
    FrameBytes frames;
    frames.cie();
    frames.fde(0x1000, 0x10, {});
    frames.terminator();
    frames.terminator();
    frames.cie();
    frames.fde(0x2000, 0x10, {});
    const Compiled exact(frames.section());
    EXPECT_THAT(rows_of(exact.table()), ElementsAre("0 none", "1000 rsp+8", "1010 none", "2000 rsp+8", "2010 none"));
    // Where the section's end is not known, what follows could be anything.
    const Compiled open_ended(frames.section(false));
    EXPECT_THAT(rows_of(open_ended.table()), ElementsAre("0 none", "1000 rsp+8", "1010 none"));
}

TEST(Rows, OverlapsGoToTheLaterStartAndFirstOfEquals) {
    FrameBytes frames;
    frames.cie();
    frames.fde(0x1000, 0x100, {kDefCfaOffset, 16});
    frames.fde(0x1040, 0x10, {kDefCfaOffset, 24});
    frames.fde(0x1040, 0x20, {kDefCfaOffset, 32});
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()), ElementsAre("0 none", "1000 rsp+16", "1040 rsp+24", "1050 none"));
}

TEST(Rows, DiscardedFunctionsAreLeftOut) {
    FrameBytes frames;
    frames.cie();
    frames.fde(0, 0x10, {});  // what linkers make of functions they threw away
    frames.fde(0x1000, 0x10, {});
    frames.fde(0x900000, 0x10, {});
    const Compiled compiled(frames.section(), {}, 0x1000, 0x2000);
    EXPECT_THAT(rows_of(compiled.table()), ElementsAre("1000 rsp+8", "1010 none"));
}

}  // namespace
}  // namespace kymo::unwind::test
