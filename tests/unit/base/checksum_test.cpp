#include "base/checksum.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace kymo {
namespace {

TEST(Crc32c, KnownAnswers) {
    EXPECT_EQ(crc32c("123456789", 9), 0xE3069283U);
    EXPECT_EQ(crc32c("", 0), 0U);
    // RFC 3720, B.4.
    std::array<std::uint8_t, 32> block{};
    EXPECT_EQ(crc32c(block.data(), block.size()), 0x8A9136AAU);
    block.fill(0xFF);
    EXPECT_EQ(crc32c(block.data(), block.size()), 0x62A8AB43U);
    for (std::size_t i = 0; i < block.size(); ++i) {
        block[i] = static_cast<std::uint8_t>(i);
    }
    EXPECT_EQ(crc32c(block.data(), block.size()), 0x46DD794EU);
}

TEST(Crc32c, PiecesMayBeChained) {
    const std::string text = "a checksum of pieces is the checksum of the whole";
    const std::uint32_t whole = crc32c(text.data(), text.size());
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        const std::uint32_t front = crc32c(text.data(), cut);
        EXPECT_EQ(crc32c(text.data() + cut, text.size() - cut, front), whole) << cut;
    }
}

}  // namespace
}  // namespace kymo
