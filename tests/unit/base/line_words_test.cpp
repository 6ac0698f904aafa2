#include "base/line_words.h"

#include <gtest/gtest.h>
#include <string_view>

namespace kymo {
namespace {

using namespace std::string_view_literals;

TEST(LineWords, AreTakenOneByOne) {
    std::string_view text = "rule 12  end";
    EXPECT_EQ(take_until(text, ' '), "rule");
    EXPECT_EQ(take_until(text, ' '), "12");
    EXPECT_EQ(take_until(text, ' '), "") << "two blanks hold an empty word";
    EXPECT_EQ(take_until(text, ' '), "end");
    EXPECT_TRUE(text.empty());
    EXPECT_EQ(take_until(text, ' '), "") << "nothing is left to take";
}

TEST(LineWords, AreViewsIntoTheText) {
    const std::string_view whole = "a\nb";
    std::string_view text = whole;
    EXPECT_EQ(take_until(text, '\n').data(), whole.data());
    EXPECT_EQ(text.data(), whole.data() + 2);
}

TEST(LineWords, NumbersAreDigitsAlone) {
    std::uint64_t number = 7;
    EXPECT_TRUE(parse_decimal("0", number));
    EXPECT_EQ(number, 0U);
    EXPECT_TRUE(parse_decimal("18446744073709551615", number));
    EXPECT_EQ(number, UINT64_MAX);
    for (const std::string_view bad :
         {""sv, "-1"sv, "+1"sv, " 1"sv, "1 "sv, "0x1"sv, "1a"sv, "18446744073709551616"sv,
          "99999999999999999999999"sv, "1\0"sv, "/"sv, ":"sv}) {
        number = 7;
        EXPECT_FALSE(parse_decimal(bad, number)) << bad;
        EXPECT_EQ(number, 7U) << bad << ": what is refused leaves the number as it was";
    }
}

TEST(LineWords, NumbersFitTheirTypeAndTheirBound) {
    std::uint8_t small = 7;
    EXPECT_TRUE(parse_decimal("255", small));
    EXPECT_EQ(small, 255);
    EXPECT_FALSE(parse_decimal("256", small));
    std::uint32_t bounded = 0;
    EXPECT_TRUE(parse_decimal("63", bounded, 63));
    EXPECT_FALSE(parse_decimal("64", bounded, 63));
    EXPECT_EQ(bounded, 63U);
}

}  // namespace
}  // namespace kymo
