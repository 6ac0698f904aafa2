// CPython's line tables. The bytes are those of compiled functions, and their lines what `dis.findlinestarts` says of
// them.
#include "monitor/python/line_table.h"

#include "monitor/python/layout.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

namespace kymo::monitor::python {
namespace {

std::vector<std::int64_t> lines(Lines kind, const std::vector<std::uint8_t>& bytes, std::int64_t first,
                                std::initializer_list<std::uint64_t> offsets) {
    std::vector<std::int64_t> found;
    for (const std::uint64_t offset : offsets) {
        found.push_back(line_at(LineTable(kind, bytes, first), first, offset));
    }
    return found;
}

using Found = std::vector<std::int64_t>;

// (0, 9), (4, 10), (16, 11), (24, 12), (28, 13), (30, 12), (38, 15), …, (92, 20)
TEST(LineTable, ReadsSteps) {
    const std::vector<std::uint8_t> bytes = {0, 1, 4, 1,  12, 1,  8, 1,  4, 1,  2, 255, 8,
                                             3, 2, 1, 12, 1,  12, 1, 12, 2, 10, 1, 6,   255};
    EXPECT_EQ(lines(Lines::kSteps, bytes, 8, {0, 2, 4, 14, 16, 28, 30, 36, 38, 92, 97}),
              (Found{9, 9, 10, 10, 11, 13, 12, 12, 15, 20, 20}));
    EXPECT_EQ(lines_of(LineTable(Lines::kSteps, bytes, 8), 8), 14);
}

// (0, 4, 9), (4, 16, 10), (16, 24, 11), (24, 28, 12), (28, 30, 13), (30, 38, 12), …, (90, 96, 20)
TEST(LineTable, ReadsRanges) {
    const std::vector<std::uint8_t> bytes = {4,  1, 12, 1, 8, 1, 4, 1,   2,  1, 8, 255, 2, 3,
                                             12, 1, 12, 1, 8, 1, 2, 255, 10, 3, 6, 1,   6, 255};
    EXPECT_EQ(lines(Lines::kRanges, bytes, 8, {0, 4, 15, 16, 28, 30, 36, 38, 84, 90, 94, 96}),
              (Found{9, 10, 10, 11, 13, 12, 12, 15, 21, 20, 20, 8}));
    EXPECT_EQ(lines_of(LineTable(Lines::kRanges, bytes, 8), 8), 14);
    // No line: as if at the first one. What follows goes on from the line before.
    EXPECT_EQ(lines(Lines::kRanges, {2, 1, 2, 128, 2, 1}, 8, {0, 2, 4}), (Found{9, 8, 10}));
}

// (0, 2, 8), (2, 6, 9), (6, 34, 10), (34, 44, 11), (44, 48, 12), (48, 50, 13), (50, 62, 12), …, (172, 178, 20)
TEST(LineTable, ReadsLocations) {
    const std::vector<std::uint8_t> bytes = {
        128, 0,   216, 8,   9,   128, 65,  220, 13,  18,  144, 49,  139, 88, 242, 0,   8,   5,  22,  136, 1,  216,
        11,  12,  136, 113, 138, 53,  216, 12,  13,  144, 33,  216, 18,  19, 241, 3,   1,   19, 20,  241, 0,  1,
        13,  21,  137, 65,  240, 6,   3,   13,  22,  216, 16,  17,  144, 81, 145, 6,   145, 1,  240, 13,  8,  5,
        22,  244, 22,  0,   22,  27,  152, 49,  147, 88,  246, 3,   1,   12, 31,  216, 16,  17, 240, 3,   0,  13,
        14,  144, 1,   139, 69,  242, 0,   1,   12,  31,  240, 0,   1,   5,  31,  248, 244, 7,  0,   20,  30, 242,
        0,   1,   13,  22,  216, 20,  21,  146, 1,   240, 3,   1,   13,  22, 252, 242, 6,   1,  12,  31};
    EXPECT_EQ(
        lines(Lines::kLocations, bytes, 8, {0, 2, 6, 32, 34, 44, 48, 50, 62, 64, 76, 98, 112, 134, 136, 152, 172}),
        (Found{8, 9, 10, 10, 11, 12, 13, 12, 15, 16, 10, 20, 21, 8, 17, 18, 20}));
    EXPECT_EQ(lines_of(LineTable(Lines::kLocations, bytes, 8), 8), 14);
}

TEST(LineTable, EndsAtBytesThatAreNoTable) {
    for (const std::vector<std::uint8_t>& bytes : {std::vector<std::uint8_t>{},
                                                   {7},
                                                   {0xf0},
                                                   {0xf0, 0xff, 0xff, 0xff},
                                                   {0x80},
                                                   {0xd0, 1},
                                                   std::vector<std::uint8_t>(64, 0xff)}) {
        for (const Lines kind : {Lines::kSteps, Lines::kRanges, Lines::kLocations}) {
            EXPECT_GE(lines_of(LineTable(kind, bytes, 5), 5), 1);
            line_at(LineTable(kind, bytes, 5), 5, 1'000'000);
        }
    }
}

TEST(Layout, IsThatOfTheVersion) {
    EXPECT_EQ(layout_of("3.11.2 (main, Mar 13 2023)"), &layouts::k311);
    EXPECT_EQ(layout_of("3.9.18"), layout_of("3.8.0+"));
    EXPECT_EQ(layout_of("3.13.0"), &layouts::k313);
    for (const char* const other : {"", "3", "3.", "3.7.16", "3.14.0", "3.110.1", "2.7.18", "4.8.1", "3.8", "pypy"}) {
        EXPECT_EQ(layout_of(other), nullptr) << other;
    }
}

}  // namespace
}  // namespace kymo::monitor::python
