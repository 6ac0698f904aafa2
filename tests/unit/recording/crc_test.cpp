// The chunks' checksum: every way of computing it gives the same.
#include "recording/crc.h"

#include "base/checksum.h"

#include <gtest/gtest.h>
#include <random>
#include <span>
#include <vector>

namespace kymo::recording {
namespace {

TEST(ChunkCrc, AllWaysAgree) {
    std::mt19937 random(3);
    std::vector<std::uint8_t> bytes(3000);
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random());
    }
    for (std::size_t begin = 0; begin < 9; ++begin) {
        for (std::size_t size = 0; begin + size <= bytes.size(); size += 1 + size / 3) {
            const std::span<const std::uint8_t> piece(bytes.data() + begin, size);
            const std::uint32_t expected = crc32c(piece.data(), piece.size());
            EXPECT_EQ(crc_by_tables(piece), expected);
            EXPECT_EQ(chunk_crc(piece), expected);
            if (has_crc_instruction()) {
                EXPECT_EQ(crc_by_instruction(piece), expected);
            }
        }
    }
}

}  // namespace
}  // namespace kymo::recording
