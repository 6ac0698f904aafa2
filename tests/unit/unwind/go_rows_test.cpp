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
#include <span>
#include <vector>

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
        {.name = "runtime.cgocallback", .begin = 0x1800, .depths = {{0x80, 32}}, .flags = 2},
        {.name = "runtime.cgocallback_gofunc", .begin = 0x1900, .depths = {{0x80, 40}}},
    }));
    EXPECT_EQ(rows.at(0x1010), "bottom");
    EXPECT_EQ(rows.at(0x1110), "bottom");
    EXPECT_EQ(rows.at(0x1210), "switch");
    EXPECT_EQ(rows.at(0x1310), "hand over");
    EXPECT_EQ(rows.at(0x1410), "bad");
    EXPECT_EQ(rows.at(0x1510), "bad");
    EXPECT_EQ(rows.at(0x1610), "rsp+56");
    EXPECT_EQ(rows.at(0x1710), "rsp+24");
    EXPECT_EQ(rows.at(0x1810), "rsp+40");
    EXPECT_EQ(rows.at(0x1910), "rsp+48");
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
    const GoRows rows(with(
        {{.name = "main.a", .begin = 0x1000, .depths = {{0x10, -8}, {0x20, 12}, {0x30, 1 << 30}, {0x40, 0x7FFFFFF8}}},
         {.name = "main.b", .begin = 0x1100, .depths = {{0x8000, 16}}},
         {.name = "main.c", .begin = 0x1200, .depths = {{0x10, 8}}}}));
    EXPECT_EQ(rows.at(0x1000), "bad");
    EXPECT_EQ(rows.at(0x1010), "bad");
    EXPECT_EQ(rows.at(0x1020), "bad");
    EXPECT_EQ(rows.at(0x1030), "bad");
    EXPECT_EQ(rows.at(0x1100), "rsp+24");
    EXPECT_EQ(rows.at(0x1200), "rsp+16");  // the table of the one before ends here
}

TEST(GoRows, AreBadWhereTheNameDoesNotEnd) {
    GoBytes made = with({{.name = "main.a", .begin = 0x1000, .depths = {{0x80, 16}}}});
    made.functions[0].name = std::string("runtime.") + std::string(image::GoTable::kMostName, 'y');
    const GoRows rows(made);
    EXPECT_EQ(rows.at(0x1010), "bad");
}

// An image of another process: code of which nothing is read, and Go's table.
class GoImage {
  public:
    explicit GoImage(GoBytes made) : table_(made.made()), file_(0x10000) {
        ImageHooks hooks;
        hooks.describe = [](void*, std::uint64_t, image::Arena&, image::LoadedImage*) { return false; };
        hooks.locate = [](void*, std::uint64_t, image::ImagePlace*) { return false; };
        hooks.is_elsewhere = true;
        EXPECT_TRUE(images_.create(hooks));
        std::copy(table_.begin(), table_.end(), file_.begin() + 0x8000);
        const auto here = reinterpret_cast<std::uint64_t>(file_.data());
        image::LoadedImage image;
        image.range = {here, here + file_.size()};
        image.bias = here;
        image.segments[0] = {{here + 0x1000, here + 0x2000}, 5, here + 0x2000};
        image.segments[1] = {{here + 0x8000, here + file_.size()}, 4, here + file_.size()};
        image.segment_count = 2;
        image.go_table = {here + 0x8000, here + 0x8000 + table_.size()};
        EXPECT_NE(raw(images_.add(image.moved(0))), 0U);
    }
    ~GoImage() { images_.release(); }
    GoImage(const GoImage&) = delete;
    GoImage& operator=(const GoImage&) = delete;

    // From a place in the code, with these words on the stack.
    PathEnd walk_from(std::uint64_t pc, std::span<const std::uint64_t> stack, std::vector<std::uint64_t>* addresses) {
        constexpr std::uint64_t kStack = 0x7F0000000000;
        std::array<Frame, 16> frames;
        Registers from;
        from.pc = pc;
        from.set_sp(kStack);
        const auto view =
            MemoryView::copied(kStack, {reinterpret_cast<const std::uint8_t*>(stack.data()), stack.size_bytes()});
        const WalkResult result = walk(images_, from, Start::kInterrupted, view, frames);
        EXPECT_FALSE(result.recovered);
        addresses->clear();
        for (std::size_t i = 0; i < result.count; ++i) {
            addresses->push_back(frames[i].address);
        }
        return result.end;
    }

  private:
    Bytes table_;
    std::vector<std::uint8_t> file_;
    ImageSet images_;
};

using Addresses = std::vector<std::uint64_t>;

// work ← main ← goexit; and a call on the system's stack.
TEST(GoRows, AreWalkedUpToTheOutermostFunction) {
    GoImage program(with({{.name = "main.work", .begin = 0x1000, .depths = {{0x80, 16}}},
                          {.name = "main.main", .begin = 0x1100, .depths = {{0x80, 8}}},
                          {.name = "runtime.goexit", .begin = 0x1200, .depths = {{0x80, 0}}, .flags = 1},
                          {.name = "runtime.systemstack", .begin = 0x1300, .depths = {{0x80, 0}}, .flags = 2}}));
    std::array<std::uint64_t, 16> stack{};
    stack[2] = 0x1110;  // main.main, behind its call of main.work
    stack[4] = 0x1201;  // runtime.goexit
    Addresses found;
    EXPECT_EQ(program.walk_from(0x1010, stack, &found), PathEnd::kComplete);
    EXPECT_EQ(found, (Addresses{0x1010, 0x110F, 0x1200}));

    stack[2] = 0x1310;  // runtime.systemstack: whatever lies above it is another's
    EXPECT_EQ(program.walk_from(0x1010, stack, &found), PathEnd::kOutsideStack);
    EXPECT_EQ(found, (Addresses{0x1010, 0x130F}));
}

// work ← cgocallback, called from C ← cgocall, which had called C ← goexit, all on the goroutine's stack.
TEST(GoRows, AreWalkedThroughCallsBackFromC) {
    GoImage program(with({{.name = "main.work", .begin = 0x1000, .depths = {{0x80, 8}}},
                          {.name = "runtime.cgocallback", .begin = 0x1100, .depths = {{0x80, 16}}, .flags = 2},
                          {.name = "runtime.mcall", .begin = 0x1200, .depths = {{0x100, 0}}, .flags = 2},
                          {.name = "runtime.systemstack_switch", .begin = 0x1300, .depths = {{0x80, 0}}},
                          {.name = "runtime.cgocall", .begin = 0x1400, .depths = {{0x80, 8}}},
                          {.name = "runtime.goexit", .begin = 0x1500, .depths = {{0x80, 0}}, .flags = 1}}));
    std::array<std::uint64_t, 16> stack{};
    stack[1] = 0x1150;
    // Nothing has called systemstack_switch, and what lies before its first byte is not on this stack.
    stack[4] = 0x1300;
    stack[5] = 0x1420;
    stack[7] = 0x1501;
    Addresses found;
    EXPECT_EQ(program.walk_from(0x1010, stack, &found), PathEnd::kComplete);
    EXPECT_EQ(found, (Addresses{0x1010, 0x114F, 0x1300, 0x141F, 0x1500}));

    stack[4] = 0x1240;  // mcall itself, which nothing returns from
    EXPECT_EQ(program.walk_from(0x1010, stack, &found), PathEnd::kComplete);
    EXPECT_EQ(found, (Addresses{0x1010, 0x114F, 0x123F}));
}

}  // namespace
}  // namespace kymo::unwind::test
