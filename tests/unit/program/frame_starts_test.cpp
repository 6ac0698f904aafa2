#include "program/frame_starts.h"

#include <cstring>
#include <gtest/gtest.h>

namespace kymo::program {
namespace {

std::vector<std::uint8_t> table(std::uint32_t count, const std::vector<std::int32_t>& starts) {
    std::vector<std::uint8_t> bytes = {1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0};
    const auto put = [&](auto value) {
        const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
        bytes.insert(bytes.end(), from, from + sizeof value);
    };
    put(count);
    for (const std::int32_t start : starts) {
        put(start);
        put(std::int32_t{0});
    }
    return bytes;
}

TEST(FrameStarts, AreRelativeToTheSection) {
    EXPECT_EQ(parse_frame_starts(table(2, {-0x1000, 0x20}), 0x2000), (std::vector<std::uint64_t>{0x1000, 0x2020}));
}

TEST(FrameStarts, AreSortedEvenIfTheFileIsNot) {
    EXPECT_EQ(parse_frame_starts(table(2, {0x20, -0x1000}), 0x2000), (std::vector<std::uint64_t>{0x1000, 0x2020}));
}

TEST(FrameStarts, EndWhereTheSectionDoes) {
    EXPECT_EQ(parse_frame_starts(table(0xffffffff, {16}), 0).size(), 1U);
}

TEST(FrameStarts, OfOtherFormsAreNotGuessed) {
    for (std::size_t i = 0; i < 4; ++i) {
        auto bytes = table(1, {16});
        bytes[i] = 0x50;
        EXPECT_TRUE(parse_frame_starts(bytes, 0).empty()) << i;
    }
    const auto bytes = table(1, {16});
    for (std::size_t size = 0; size < 12; ++size) {
        EXPECT_TRUE(parse_frame_starts(std::span(bytes).first(size), 0).empty());
    }
}

}  // namespace
}  // namespace kymo::program
