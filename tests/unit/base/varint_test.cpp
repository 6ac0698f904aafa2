#include "base/varint.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace kymo {
namespace {

std::vector<std::uint8_t> encoded(std::uint64_t value) {
    std::array<std::uint8_t, kMaxVarintBytes> bytes{};
    const std::uint8_t* const end = encode_varint(bytes.data(), value);
    return std::vector<std::uint8_t>(static_cast<const std::uint8_t*>(bytes.data()), end);
}

TEST(Varint, KnownBytes) {
    using Bytes = std::vector<std::uint8_t>;
    EXPECT_EQ(encoded(0), (Bytes{0x00}));
    EXPECT_EQ(encoded(127), (Bytes{0x7F}));
    EXPECT_EQ(encoded(128), (Bytes{0x80, 0x01}));
    EXPECT_EQ(encoded(624485), (Bytes{0xE5, 0x8E, 0x26}));  // the example of the DWARF standard
    EXPECT_EQ(encoded(std::numeric_limits<std::uint64_t>::max()),
              (Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}));
}

TEST(Varint, RoundTripsEveryLength) {
    std::mt19937_64 random(1);
    for (unsigned bits = 0; bits <= 64; ++bits) {
        for (int i = 0; i < 100; ++i) {
            const std::uint64_t value = bits == 0 ? 0 : random() >> (64 - bits);
            const auto bytes = encoded(value);
            const std::uint8_t* at = bytes.data();
            std::uint64_t back = ~value;
            ASSERT_TRUE(decode_varint(&at, bytes.data() + bytes.size(), &back));
            EXPECT_EQ(back, value);
            EXPECT_EQ(at, bytes.data() + bytes.size());
        }
    }
}

TEST(Varint, RefusesWhatEndsEarlyAndLeavesTheCursor) {
    const auto bytes = encoded(std::numeric_limits<std::uint64_t>::max());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::uint8_t* at = bytes.data();
        std::uint64_t value = 0;
        EXPECT_FALSE(decode_varint(&at, bytes.data() + size, &value)) << size;
        EXPECT_EQ(at, bytes.data());
    }
}

TEST(Varint, RefusesMoreThan64Bits) {
    for (const std::uint8_t last : std::to_array<std::uint8_t>({0x02, 0x7F, 0x81})) {
        std::vector<std::uint8_t> bytes(9, 0xFF);
        bytes.push_back(last);
        bytes.push_back(0x00);
        const std::uint8_t* at = bytes.data();
        std::uint64_t value = 0;
        EXPECT_FALSE(decode_varint(&at, bytes.data() + bytes.size(), &value)) << int{last};
    }
}

TEST(Varint, ZigzagKeepsSmallMagnitudesSmall) {
    EXPECT_EQ(zigzag(0), 0U);
    EXPECT_EQ(zigzag(-1), 1U);
    EXPECT_EQ(zigzag(1), 2U);
    EXPECT_EQ(zigzag(-2), 3U);
    for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                                     std::int64_t{1}, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(unzigzag(zigzag(value)), value);
    }
}

}  // namespace
}  // namespace kymo
