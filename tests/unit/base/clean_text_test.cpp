// What text from elsewhere looks like when it is shown.
#include "base/clean_text.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo {
namespace {

TEST(CleanText, WhatIsFitStays) {
    for (const char* text : {"", "main", "operator<<(int, char)", "über", "данные", "数値 ×2", "a\\x1b", "🦀"}) {
        EXPECT_EQ(clean_text(text), text);
        EXPECT_TRUE(is_clean_text(text));
    }
}

TEST(CleanText, NothingMovesTheCursorOrBeginsALine) {
    EXPECT_EQ(clean_text("\033[31mred"), "\\x1b[31mred");
    EXPECT_EQ(clean_text("a\nb\r\tc\177\a"), "a\\nb\\r\\tc\\u007f\\x07");
    EXPECT_EQ(clean_text(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(clean_text("\u009b31m"), "\\u009b31m");  // CSI in one character
    EXPECT_EQ(clean_text("\u2028x\ufeff"), "\\u2028x\\ufeff");
    EXPECT_EQ(clean_text("user\u202etxt.exe\u2066"), "user\\u202etxt.exe\\u2066");
}

TEST(CleanText, WhatIsNoUtf8IsWrittenByteByByte) {
    EXPECT_EQ(clean_text("M\xfcller"), "M\\xfcller");
    EXPECT_EQ(clean_text("\x9b"
                         "31m"),
              "\\x9b31m");                                     // CSI in one byte
    EXPECT_EQ(clean_text("\xc0\x9b"), "\\xc0\\x9b");           // overlong
    EXPECT_EQ(clean_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a surrogate
    EXPECT_EQ(clean_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
    EXPECT_EQ(clean_text("ende\xe2\x82"), "ende\\xe2\\x82");  // cut off
}

// Every text of two bytes, and what is made of it once more.
TEST(CleanText, TheOutcomeIsAlwaysClean) {
    for (unsigned first = 0; first < 256; ++first) {
        for (unsigned second = 0; second < 256; ++second) {
            const std::string text = {static_cast<char>(first), static_cast<char>(second)};
            const std::string clean = clean_text(text);
            EXPECT_TRUE(is_clean_text(clean));
            EXPECT_EQ(clean_text(clean), clean);
            EXPECT_EQ(is_clean_text(text), clean == text);
        }
    }
}

TEST(CleanScreen, LinesAndColoursStay) {
    EXPECT_EQ(clean_screen("\033[1;31mhot\033[0m\nnext\n"), "\033[1;31mhot\033[0m\nnext\n");
    EXPECT_EQ(clean_screen("\033[2J\033]0;title\a\rx\033["), "\\x1b[2J\\x1b]0;title\\x07\\rx\\x1b[");
}

}  // namespace
}  // namespace kymo
