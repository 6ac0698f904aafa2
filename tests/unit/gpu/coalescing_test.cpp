#include "gpu/model/bank_conflicts.h"
#include "gpu/model/coalesce.h"

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace kymo::gpu {
namespace {

LaneAddresses strided(std::uint64_t base, std::int64_t stride, std::uint32_t mask = 0xFFFF'FFFFU) {
    LaneAddresses addresses;
    addresses.strided = true;
    addresses.base = base;
    addresses.stride = stride;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        addresses.of[static_cast<unsigned>(std::countr_zero(left))] = base;
        base += static_cast<std::uint64_t>(stride);
    }
    return addresses;
}

unsigned sectors(const LaneAddresses& addresses, std::uint32_t mask, unsigned bytes) {
    Footprint footprint;
    coalesce(addresses, mask, bytes, footprint);
    return footprint.sectors;
}

TEST(Coalesce, UnitStrideIsFourSectorsAWord) {
    EXPECT_EQ(sectors(strided(0x1000, 4), 0xFFFF'FFFFU, 4), 4U);
    EXPECT_EQ(sectors(strided(0x1000, 8), 0xFFFF'FFFFU, 8), 8U);
    EXPECT_EQ(sectors(strided(0x1000, 16), 0xFFFF'FFFFU, 16), 16U);
    EXPECT_EQ(sectors(strided(0x1000, 1), 0xFFFF'FFFFU, 1), 1U);
    EXPECT_EQ(sectors(strided(0x1004, 4), 0xFFFF'FFFFU, 4), 5U);  // misaligned
}

TEST(Coalesce, ALargeStrideIsASectorALane) {
    EXPECT_EQ(sectors(strided(0x1000, 4096), 0xFFFF'FFFFU, 4), 32U);
    EXPECT_EQ(sectors(strided(0x1000, 0), 0xFFFF'FFFFU, 4), 1U);
    EXPECT_EQ(sectors(strided(0x1000, -4), 0xFFFF'FFFFU, 4), 5U);
    EXPECT_EQ(sectors(strided(0x1000, 4), 0, 4), 0U);
}

TEST(Coalesce, AgreesWithASetOfSectors) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 20000; ++round) {
        const auto mask = static_cast<std::uint32_t>(random());
        const unsigned bytes = 1U << (random() % 5);
        LaneAddresses addresses;
        if (random() % 2 == 0) {
            const std::int64_t strides[] = {0, 1, 4, 8, 16, 32, 100, -4, -128};
            addresses = strided(0x10000 + random() % 4096, strides[random() % 9], mask);
        } else {
            for (auto& address : addresses.of) {
                address = 0x10000 + random() % (1U << (4 + random() % 12));
            }
        }
        std::set<std::uint64_t> expected;
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            const std::uint64_t address = addresses.of[static_cast<unsigned>(std::countr_zero(left))];
            expected.insert(address / 32);
            expected.insert((address + bytes - 1) / 32);
        }
        Footprint footprint;
        coalesce(addresses, mask, bytes, footprint);
        std::set<std::uint64_t> got;
        for (const LineAccess& line : footprint.all()) {
            for (unsigned i = 0; i < 4; ++i) {
                if ((line.sectors >> i & 1U) != 0) {
                    EXPECT_TRUE(got.insert(line.line * 4 + i).second) << "a sector twice";
                }
            }
        }
        ASSERT_EQ(got, expected) << round;
        ASSERT_EQ(footprint.sectors, expected.size()) << round;
        std::array<unsigned, 4> at{};
        for (const std::uint64_t sector : expected) {
            ++at[sector % 4];
        }
        ASSERT_EQ(footprint.most_at_one_place, *std::max_element(at.begin(), at.end())) << round;
    }
}

TEST(BankConflicts, CountsDifferentWordsOfABank) {
    EXPECT_EQ(shared_passes(strided(0, 4), 0xFFFF'FFFFU, 4), 1U);
    EXPECT_EQ(shared_passes(strided(0, 8), 0xFFFF'FFFFU, 4), 2U);
    EXPECT_EQ(shared_passes(strided(0, 128), 0xFFFF'FFFFU, 4), 32U);
    EXPECT_EQ(shared_passes(strided(0, 132), 0xFFFF'FFFFU, 4), 1U);  // rows padded by a word
    EXPECT_EQ(shared_passes(strided(0, 0), 0xFFFF'FFFFU, 4), 1U);
    EXPECT_EQ(shared_passes(strided(0, 8), 0xFFFF'FFFFU, 8), 2U);    // half warps
    EXPECT_EQ(shared_passes(strided(0, 16), 0xFFFF'FFFFU, 16), 4U);  // quarter warps
    EXPECT_EQ(shared_passes(strided(0, 128, 0xF), 0xF, 4), 4U);
    EXPECT_EQ(shared_passes(strided(0, 4), 0, 4), 0U);
}

TEST(BankConflicts, FindsTheMostWantedWord) {
    EXPECT_EQ(most_on_one_word(strided(0, 0), 0xFFFF'FFFFU), 32U);
    EXPECT_EQ(most_on_one_word(strided(0, 2), 0xFFFF'FFFFU), 2U);
    EXPECT_EQ(most_on_one_word(strided(0, 4), 0x0000'0001U), 1U);
}

TEST(LocalMemory, InterleavesTheLanesOfAWarp) {
    LaneAddresses addresses = strided(0x40, 0);
    interleave_local(addresses, 0xFFFF'FFFFU, 3);
    EXPECT_EQ(sectors(addresses, 0xFFFF'FFFFU, 4), 4U);
}

}  // namespace
}  // namespace kymo::gpu
