// Call-frame programs and sections that are wrong: bad rows where they are, and the others as ever.
#include "frame_bytes.h"
#include "rule_text.h"

#include <gmock/gmock.h>

namespace kymo::unwind::test {
namespace {

using testing::ElementsAre;

struct Broken {
    const char* what;
    Bytes program;
};

TEST(BrokenRows, ProgramsGiveBadRowsFromThereOn) {
    const Broken cases[] = {
        {"restore without remember", {kAdvance + 4, kRestoreState}},
        {"unknown instruction", {kAdvance + 4, 0x3E}},
        {"going backwards", {kAdvance + 4, kSetLoc, 0, 0, 0, 0}},
        {"block beyond the end", {kAdvance + 4, kDefCfaExpression, 0x7F}},
        {"offset of an expression", {kAdvance + 4, kDefCfaExpression, 1, 0x30, kDefCfaOffset, 8}},
    };
    for (const Broken& broken : cases) {
        FrameBytes frames;
        frames.cie();
        frames.fde(0x1000, 0x10, broken.program);
        frames.fde(0x1010, 0x10, {});
        const Compiled compiled(frames.section());
        EXPECT_THAT(rows_of(compiled.table()),
                    ElementsAre("0 none", "1000 rsp+8", "1004 bad", "1010 rsp+8", "1020 none"))
            << broken.what;
        EXPECT_EQ(compiled.table().bad_functions, 1U);
    }
}

TEST(BrokenRows, EntriesDoNotHideTheOthers) {
    FrameBytes frames;
    frames.cie();
    frames.fde(0x1000, 0x10, {});
    frames.cie({.return_register = 30});
    frames.fde(0x1100, 0x10, {});
    frames.cie({.augmentation = "Q"});
    frames.fde(0x1200, 0x10, {});
    frames.cie();
    frames.fde(0x1300, 0x10, {});
    const Compiled compiled(frames.section());
    EXPECT_THAT(rows_of(compiled.table()),
                ElementsAre("0 none", "1000 rsp+8", "1010 none", "1300 rsp+8", "1310 none"));
    EXPECT_EQ(compiled.table().bad_functions, 2U);
}

TEST(BrokenRows, NoSectionsNoRows) {
    const Compiled compiled({});
    EXPECT_TRUE(compiled.ok());
    EXPECT_EQ(compiled.table().find(0x1000), simple_rule(RuleKind::kNone));
}

TEST(BrokenRows, EntriesThatClaimTheSameBytesAgainAndAgainAreBounded) {
    // A search table with 20,000 entries that all lead to one long function: the work is bounded by the budget, not
    // by the product.
    FrameBytes frames;
    frames.cie();
    Bytes program;
    for (int i = 0; i < 100000; ++i) {
        program.push_back(kRememberState);
        program.push_back(kRestoreState);
    }
    const std::size_t fde = frames.fde(0x1000, 0x10, program);
    Bytes table;
    for (std::uint32_t i = 0; i < 20000; ++i) {
        for (const std::uint32_t value : {0x1000 + i, static_cast<std::uint32_t>(fde)}) {
            for (unsigned b = 0; b < 4; ++b) {
                table.push_back(static_cast<std::uint8_t>(value >> (8 * b)));
            }
        }
    }
    CompileInput input;
    input.code_end = 0x100000;
    input.eh_frame = frames.section();
    input.eh_header.count = 20000;
    input.eh_header.table = table;
    Table made;
    ASSERT_TRUE(compile(input, &made));
    EXPECT_EQ(made.functions, 1U);
    EXPECT_EQ(made.bad_functions, 19999U);
    release(&made);
}

}  // namespace
}  // namespace kymo::unwind::test
