#include "program/frame_starts.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <utility>

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

// A common information of these letters at 0, and a description of `range` bytes of code at the result's end.
std::pair<std::vector<std::uint8_t>, std::size_t> frames(const std::string& letters, std::vector<std::uint8_t> data,
                                                         std::uint32_t range) {
    std::vector<std::uint8_t> bytes = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    bytes.insert(bytes.end(), letters.begin(), letters.end());
    bytes.insert(bytes.end(), {0, 1, 0x78, 16, static_cast<std::uint8_t>(data.size())});
    bytes.insert(bytes.end(), data.begin(), data.end());
    bytes[0] = static_cast<std::uint8_t>(bytes.size() - 4);
    const std::size_t at = bytes.size();
    const std::uint32_t words[] = {16, static_cast<std::uint32_t>(at + 4), 0x1234, range, 0};
    const auto* from = reinterpret_cast<const std::uint8_t*>(words);
    bytes.insert(bytes.end(), from, from + sizeof words);
    return {bytes, at};
}

TEST(FrameExtents, AreWhatIsDescribed) {
    const auto plain = frames("zR", {0x1b}, 77);
    EXPECT_EQ(described_length(plain.first, plain.second), 77U);
    const auto with_personality = frames("zPLR", {0x9b, 1, 2, 3, 4, 0x1b, 0x1b}, 78);
    EXPECT_EQ(described_length(with_personality.first, with_personality.second), 78U);
    const auto of_signal = frames("zRS", {0x1b}, 79);
    EXPECT_EQ(described_length(of_signal.first, of_signal.second), 79U);
}

TEST(FrameExtents, AreNotGuessed) {
    const auto unknown_letter = frames("zXR", {0x1b, 0x1b}, 77);
    EXPECT_EQ(described_length(unknown_letter.first, unknown_letter.second), 0U);
    const auto plain = frames("zR", {0x1b}, 77);
    for (std::size_t size = 0; size < plain.second + 16; ++size) {
        EXPECT_EQ(described_length(std::span(plain.first).first(size), plain.second), 0U) << size;
    }
    EXPECT_EQ(described_length(plain.first, ~std::uint64_t{0}), 0U);
}

}  // namespace
}  // namespace kymo::program
