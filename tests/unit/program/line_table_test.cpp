// Which rows of a line table count as a statement's start, and what a file's name may mean.
#include "program/line_table.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::program {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr LineRow kEnd{0, 0, 0, false};

LineRow end_at(std::uint64_t offset) {
    LineRow row = kEnd;
    row.offset = offset;
    return row;
}

std::vector<std::uint64_t> starts(const LineTable& table, std::uint32_t line) {
    std::vector<std::uint64_t> offsets;
    for (const LineRow& row : table.starts(0, line)) {
        offsets.push_back(row.offset);
    }
    return offsets;
}

TEST(LineTable, CountsStatementsThatBegin) {
    const LineTable table({"/a/x.c"}, {{0x10, 0, 5, true},
                                       {0x14, 0, 5, true},   // goes on with the same line
                                       {0x18, 0, 6, false},  // an instruction of another, in between
                                       {0x1a, 0, 5, true},
                                       {0x20, 0, 7, true},
                                       {0x24, 0, 5, true},  // comes back to it
                                       end_at(0x30),
                                       {0x40, 0, 5, true},  // another function
                                       end_at(0x44)});
    EXPECT_THAT(starts(table, 5), ElementsAre(0x10, 0x24, 0x40));
    EXPECT_THAT(starts(table, 6), IsEmpty());
    EXPECT_THAT(starts(table, 7), ElementsAre(0x20));
    EXPECT_THAT(table.lines(0), ElementsAre(5, 7));
    EXPECT_TRUE(table.is_of(0x15, 0, 5));
    EXPECT_TRUE(table.is_of(0x18, 0, 6));
    EXPECT_TRUE(table.is_of(0x43, 0, 5));
    EXPECT_FALSE(table.is_of(0x30, 0, 5)) << "behind a sequence's end";
    EXPECT_FALSE(table.is_of(0x44, 0, 5));
    EXPECT_FALSE(table.is_of(0x9, 0, 5));
}

TEST(LineTable, SequencesMayMeetAndComeInAnyOrder) {
    const LineTable table({"x.c"}, {{0x40, 0, 9, true}, end_at(0x50), {0x10, 0, 9, true}, end_at(0x40)});
    EXPECT_THAT(starts(table, 9), ElementsAre(0x10, 0x40));
    EXPECT_TRUE(table.is_of(0x40, 0, 9));
    EXPECT_FALSE(table.is_of(0x50, 0, 9));
}

TEST(LineTable, KnowsFilesByTheEndOfTheirPath) {
    const LineTable table({"/src/core/solve.c", "/src/io/solve.c", "/src/io/resolve.c", "solve.c"}, {});
    EXPECT_THAT(table.files_named("solve.c"), ElementsAre(0, 1, 3));
    EXPECT_THAT(table.files_named("core/solve.c"), ElementsAre(0));
    EXPECT_THAT(table.files_named("./io/solve.c"), ElementsAre(1));
    EXPECT_THAT(table.files_named("/src/io/solve.c"), ElementsAre(1));
    EXPECT_THAT(table.files_named("olve.c"), IsEmpty());
    EXPECT_THAT(table.files_named(""), IsEmpty());
}

const int kHere = __LINE__ + 2;
__attribute__((noinline)) int a_statement(int a) {
    return a * 3 + kHere;
}

TEST(LineTable, ReadsThisProgram) {
    ASSERT_NE(a_statement(2), 0);
    const LineTable table = LineTable::read(ImageName{std::filesystem::canonical("/proc/self/exe").string(), {}, 0});
    const auto files = table.files_named("unit/program/line_table_test.cpp");
    ASSERT_EQ(files.size(), 1U);
    EXPECT_FALSE(table.starts(files[0], static_cast<std::uint32_t>(kHere)).empty());
    EXPECT_TRUE(table.starts(files[0], static_cast<std::uint32_t>(kHere) - 2).empty());
    EXPECT_TRUE(LineTable::read(ImageName{"/proc/self/maps", {}, 0}).files().empty());
    EXPECT_TRUE(LineTable::read(ImageName{"/nothing/there", {}, 0}).files().empty());
}

}  // namespace
}  // namespace kymo::program
