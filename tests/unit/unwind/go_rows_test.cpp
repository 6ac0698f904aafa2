// Go's function table as unwinding rules: on x86-64, where calls push the return address, and on aarch64, where a
// function keeps it at the lower end of its frame.
#include "../go_bytes.h"
#include "frame_bytes.h"
#include "rule_text.h"
#include "unwind/aarch64/arch.h"
#include "unwind/walk.h"
#include "unwind/x86_64/arch.h"

#include <array>
#include <gtest/gtest.h>

namespace kymo::unwind::test {
namespace {

using kymo::go_test::GoBytes;
using kymo::go_test::GoCode;

class GoRows {
  public:
    explicit GoRows(GoBytes made, bool (*compile_it)(const CompileInput& input, Table* table) = compile,
                    const FrameSection& eh_frame = {}, const FrameSection& debug_frame = {})
        : bytes_(made.made()) {
        CompileInput input;
        input.code_begin = 0;
        input.code_end = 0x100000;
        input.eh_frame = eh_frame;
        input.debug_frame = debug_frame;
        EXPECT_TRUE(image::GoTable::read(bytes_, 0, 0, &input.go));
        EXPECT_TRUE(compile_it(input, &table_));
    }
    ~GoRows() { release(&table_); }
    GoRows(const GoRows&) = delete;
    GoRows& operator=(const GoRows&) = delete;

    const Table& table() const { return table_; }
    template <class Rules = native::Arch::Rules>
    std::string at(std::uint64_t offset) const {
        return text_of<Rules>(table_, table_.find(offset));
    }

  private:
    Bytes bytes_;
    Table table_;
};

GoBytes with(std::vector<GoCode> functions) {
    GoBytes made;
    made.functions = std::move(functions);
    return made;
}

TEST(GoRows, AreTheDepthsAndTheReturnAddress) {
    const GoBytes made = with({{.name = "main.work", .begin = 0x1000, .depths = {{4, 0}, {0x70, 24}, {0x80, 0}}}});
    const GoRows x86(made, compile_for<x86_64::RulePacker>);
    EXPECT_EQ(x86.at<x86_64::Rules>(0xFFF), "none");
    EXPECT_EQ(x86.at<x86_64::Rules>(0x1000), "rsp+8");
    EXPECT_EQ(x86.at<x86_64::Rules>(0x1004), "rsp+32");
    EXPECT_EQ(x86.at<x86_64::Rules>(0x106F), "rsp+32");
    EXPECT_EQ(x86.at<x86_64::Rules>(0x1070), "rsp+8");
    EXPECT_EQ(x86.at<x86_64::Rules>(0x1080), "none");
    std::uint64_t begin = 0;
    EXPECT_TRUE(x86.table().function_at(0x1044, &begin));
    EXPECT_EQ(begin, 0x1000U);

    const GoRows arm(made, compile_for<aarch64::RulePacker>);
    EXPECT_EQ(arm.at<aarch64::Rules>(0x1000), "sp+0");
    EXPECT_EQ(arm.at<aarch64::Rules>(0x1004), "sp+24 ra=c-24");
}

TEST(GoRows, EndAtOutermostFunctionsAndWhereTheStackChanges) {
    const GoRows rows(with({
        {.name = "runtime.goexit", .begin = 0x1000, .depths = {{0x80, 0}}, .flags = 1},
        {.name = "runtime.rt0_go", .begin = 0x1100, .depths = {{0x80, 0}}},
        {.name = "runtime.systemstack", .begin = 0x1200, .depths = {{0x80, 0}}, .flags = 2},
        {.name = "runtime.mcall", .begin = 0x1300, .depths = {{0x80, 0}}},
        {.name = "runtime.nanotime1", .begin = 0x1400, .depths = {{0x80, 16}}, .flags = 2},
        {.name = "crypto/sha256.block", .begin = 0x1500, .depths = {{0x80, 16}}, .flags = 2},
        {.name = "runtime.sigtramp", .begin = 0x1600, .depths = {{0x80, 48}}, .flags = 1},
        {.name = "runtime.mcallx", .begin = 0x1700, .depths = {{0x80, 16}}},
    }));
    EXPECT_EQ(rows.at(0x1010), "bottom");
    EXPECT_EQ(rows.at(0x1110), "bottom");
    EXPECT_EQ(rows.at(0x1210), "switch");
    EXPECT_EQ(rows.at(0x1310), "switch");
    EXPECT_EQ(rows.at(0x1410), "bad");
    EXPECT_EQ(rows.at(0x1510), "bad");
    EXPECT_EQ(rows.at(0x1610), "rsp+56");
    EXPECT_EQ(rows.at(0x1710), "rsp+24");
}

TEST(GoRows, GiveWayToEhFrameAndReplaceDebugFrame) {
    FrameBytes eh;
    eh.cie();
    eh.fde(0x1100, 0x80, {kDefCfaOffset, 64});
    FrameBytes debug(FrameSectionKind::kDebugFrame);
    debug.cie({.augmentation = "", .augmentation_data = {}});
    debug.fde(0x1000, 0x80, {kDefCfaOffset, 72});  // Go's own, in both
    debug.fde(0x1200, 0x80, {kDefCfaOffset, 72});  // C, which Go's table lists without depths
    const GoRows rows(with({{.name = "main.a", .begin = 0x1000, .depths = {{0x80, 16}}},
                            {.name = "main.b", .begin = 0x1100, .depths = {{0x80, 16}}},
                            {.name = "c", .begin = 0x1200, .depths = {}}}),
                      compile, eh.section(), debug.section());
    EXPECT_EQ(rows.at(0x1010), "rsp+24");
    EXPECT_EQ(rows.at(0x1110), "rsp+64");
    EXPECT_EQ(rows.at(0x1210), "rsp+72");
}

TEST(GoRows, AreBadWhereDepthsAreNot) {
    const GoRows rows(with({{.name = "main.a", .begin = 0x1000, .depths = {{0x10, -8}, {0x20, 12}, {0x30, 1 << 30}}},
                            {.name = "main.b", .begin = 0x1100, .depths = {{0x8000, 16}}},
                            {.name = "main.c", .begin = 0x1200, .depths = {{0x10, 8}}}}));
    EXPECT_EQ(rows.at(0x1000), "bad");
    EXPECT_EQ(rows.at(0x1010), "bad");
    EXPECT_EQ(rows.at(0x1020), "bad");
    EXPECT_EQ(rows.at(0x1100), "rsp+24");
    EXPECT_EQ(rows.at(0x1200), "rsp+16");  // the table of the one before ends here
}

TEST(GoRows, AreBadWhereTheNameDoesNotEnd) {
    GoBytes made = with({{.name = "main.a", .begin = 0x1000, .depths = {{0x80, 16}}}});
    made.functions[0].name = std::string("runtime.") + std::string(image::GoTable::kMostName, 'y');
    const GoRows rows(made);
    EXPECT_EQ(rows.at(0x1010), "bad");
}

// work ← main ← goexit; and a call on the system's stack.
TEST(GoRows, AreWalkedUpToTheOutermostFunction) {
    constexpr std::uint64_t kStack = 0x7F0000000000;
    const Bytes table = with({{.name = "main.work", .begin = 0x1000, .depths = {{0x80, 16}}},
                              {.name = "main.main", .begin = 0x1100, .depths = {{0x80, 8}}},
                              {.name = "runtime.goexit", .begin = 0x1200, .depths = {{0x80, 0}}, .flags = 1},
                              {.name = "runtime.systemstack", .begin = 0x1300, .depths = {{0x80, 0}}, .flags = 2}})
                            .made();
    ImageSet images;
    ImageHooks hooks;
    hooks.describe = [](void*, std::uint64_t, image::Arena&, image::LoadedImage*) { return false; };
    hooks.locate = [](void*, std::uint64_t, image::ImagePlace*) { return false; };
    hooks.is_elsewhere = true;
    ASSERT_TRUE(images.create(hooks));
    // The file's bytes: code of which nothing is read, and the table.
    std::vector<std::uint8_t> file(0x10000);
    std::copy(table.begin(), table.end(), file.begin() + 0x8000);
    const auto here = reinterpret_cast<std::uint64_t>(file.data());
    image::LoadedImage image;
    image.range = {here, here + file.size()};
    image.bias = here;
    image.segments[0] = {{here + 0x1000, here + 0x2000}, 5, here + 0x2000};
    image.segments[1] = {{here + 0x8000, here + file.size()}, 4, here + file.size()};
    image.segment_count = 2;
    image.go_table = {here + 0x8000, here + 0x8000 + table.size()};
    ASSERT_NE(raw(images.add(image.moved(0))), 0U);

    std::array<std::uint64_t, 16> stack{};
    stack[2] = 0x1110;  // main.main, behind its call of main.work
    stack[4] = 0x1201;  // runtime.goexit
    std::array<Frame, 8> frames;
    Registers from;
    from.pc = 0x1010;
    from.set_sp(kStack);
    const auto view =
        MemoryView::copied(kStack, {reinterpret_cast<const std::uint8_t*>(stack.data()), sizeof(stack)});
    WalkResult result = walk(images, from, Start::kInterrupted, view, frames);
    EXPECT_EQ(result.count, 3U);
    EXPECT_EQ(result.end, PathEnd::kComplete);
    EXPECT_FALSE(result.recovered);
    EXPECT_EQ(frames[1].address, 0x110FU);

    stack[2] = 0x1310;  // runtime.systemstack: whatever lies above it is another's
    result = walk(images, from, Start::kInterrupted, view, frames);
    EXPECT_EQ(result.count, 2U);
    EXPECT_EQ(result.end, PathEnd::kOutsideStack);
    images.release();
}

}  // namespace
}  // namespace kymo::unwind::test
