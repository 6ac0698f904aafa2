#include "view/text.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

const Style kPlain{.width = 40, .colour = false, .unicode = true};
const Style kAscii{.width = 40, .colour = false, .unicode = false};

TEST(Text, DurationsHaveThreeDigits) {
    EXPECT_EQ(duration(kPlain, 0), "·");
    EXPECT_EQ(duration(kAscii, -5), ".");
    EXPECT_EQ(duration(kPlain, 1'500), "1.50 us");
    EXPECT_EQ(duration(kPlain, 999'499), "999 us");
    EXPECT_EQ(duration(kPlain, 999'600), "1.00 ms");
    EXPECT_EQ(duration(kPlain, 12'340'000), "12.3 ms");
    EXPECT_EQ(duration(kPlain, 999'600'000), "1.00 s");
    EXPECT_EQ(duration(kPlain, 9'996'000'000), "10.0 s");
    EXPECT_EQ(duration(kPlain, 123'456'000'000), "123 s");
}

TEST(Text, CountsAreGrouped) {
    EXPECT_EQ(count(0), "0");
    EXPECT_EQ(count(999), "999");
    EXPECT_EQ(count(1000), "1,000");
    EXPECT_EQ(count(-1234567), "-1,234,567");
    EXPECT_EQ(count(-123), "-123");
    EXPECT_EQ(quantity(1, "thread"), "1 thread");
    EXPECT_EQ(quantity(0, "process", "processes"), "0 processes");
}

TEST(Text, PercentNeverHidesASmallShare) {
    EXPECT_EQ(percent(0), "0.0 %");
    EXPECT_EQ(percent(0.0001), "<0.1 %");
    EXPECT_EQ(percent(0.9213), "92.1 %");
    EXPECT_EQ(percent(-0.1), "0.0 %");
}

TEST(Text, CutsCountColumnsNotBytes) {
    EXPECT_EQ(columns("a›b…"), 4U);
    EXPECT_EQ(cut_end(kPlain, "äöüß", 4), "äöüß");
    EXPECT_EQ(cut_end(kPlain, "äöüß", 3), "äö…");
    EXPECT_EQ(cut_begin(kPlain, "äöüß", 3), "…üß");
    EXPECT_EQ(cut_end(kAscii, "abcdef", 5), "ab...");
    EXPECT_EQ(cut_end(kPlain, "abc", 0), "");
    EXPECT_EQ(cut_end(kAscii, "abcdef", 2), "..");
    EXPECT_EQ(pad_left("ß", 3), "  ß");
    EXPECT_EQ(pad_right("ß", 3), "ß  ");
}

TEST(Text, ColourOnlyWhereAsked) {
    EXPECT_EQ(paint(kPlain, Ink::kHot, "x"), "x");
    EXPECT_EQ(paint({.width = 40, .colour = true, .unicode = true}, Ink::kHot, "x"), "\033[1;31mx\033[0m");
}

TEST(Text, WrapsAtSpaces) {
    const Style narrow{.width = 12, .colour = false, .unicode = true};
    EXPECT_EQ(wrap(narrow, "one two three four", 0, 2), "one two\n  three four\n");
    EXPECT_EQ(wrap(narrow, "averyveryverylongword x", 2, 4), "  averyveryverylongword\n    x\n");
    EXPECT_EQ(wrap(narrow, "", 2, 4), "  \n");
}

}  // namespace
}  // namespace kymo::view
