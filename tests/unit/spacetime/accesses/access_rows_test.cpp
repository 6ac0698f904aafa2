// Memory accesses as they are added up, as far as their tables go.
#include "spacetime/accesses/access_rows.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLoadL1 = 2 | 2U << 5U | 8U << 5U;
constexpr std::uint64_t kStoreL1 = 4 | 2U << 5U | 8U << 5U;

recording::MemoryAccess access_of(std::uint64_t offset, std::uint64_t address, std::uint64_t source,
                                  std::uint64_t weight) {
    recording::MemoryAccess row;
    row.image = 1;
    row.offset = offset;
    row.address = address;
    row.source = source;
    row.weight = weight;
    return row;
}

TEST(AccessRows, AddUpByCodeLevelAndLine) {
    AccessRows rows;
    rows.add(1, access_of(0x10, 0x1008, kLoadL1, 5));
    rows.add(2, access_of(0x10, 0x103f, kLoadL1, 7));
    rows.add(2, access_of(0x20, 0x1040, kStoreL1, 99));
    ASSERT_EQ(rows.code.size(), 2U);
    const AccessSum first = rows.code.at({1, 0x10}).all();
    EXPECT_EQ(first.loads, 2U);
    EXPECT_EQ(first.cycles, 12U);
    EXPECT_EQ(first.timed, 2U);
    const AccessSum stored = rows.code.at({1, 0x20}).all();
    EXPECT_EQ(stored.stores, 1U);
    EXPECT_EQ(stored.cycles, 0U) << "of loads alone";
    EXPECT_EQ(rows.levels.at(static_cast<std::size_t>(MemoryLevel::kL1)).accesses, 3U);
    ASSERT_EQ(rows.lines.size(), 2U);
    EXPECT_EQ(rows.lines.at(0x40).threads.size(), 2U);
    EXPECT_EQ(rows.lines.at(0x41).first_code.second, 0x20U);
}

TEST(AccessRows, KnowPagesOfPowersOfTwo) {
    constexpr std::uint64_t kMiss = 4U << 26U;
    constexpr std::uint64_t kHuge = 2U << 20U;
    AccessRows rows;
    const auto add = [&rows](std::uint64_t data_page, std::uint64_t code_page, std::uint64_t source) {
        recording::MemoryAccess row = access_of(0x10, 0x1000, source, 1);
        row.data_page = data_page;
        row.code_page = code_page;
        rows.add(1, row);
    };
    add(4096, kHuge, kLoadL1 | kMiss);
    add(4096, kHuge, kLoadL1);
    add(kHuge, 0, kLoadL1);
    for (const std::uint64_t none : {0U, 1U, 512U, 4095U, 12288U}) {
        add(none, none, kLoadL1);
    }
    add(std::uint64_t{1} << 63U, kMostPage * 2, kLoadL1);
    ASSERT_EQ(rows.data_pages.size(), 2U);
    EXPECT_EQ(rows.data_pages.at(4096).accesses, 2U);
    EXPECT_EQ(rows.data_pages.at(4096).tlb_misses, 1U);
    EXPECT_EQ(rows.data_pages.at(kHuge).accesses, 1U);
    ASSERT_EQ(rows.code_pages.size(), 1U);
    EXPECT_EQ(rows.code_pages.at(kHuge).accesses, 2U);
    EXPECT_EQ(rows.code.at({1, 0x10}).data_pages.size(), 2U);
}

TEST(AccessRows, CountWhatHasNoRoom) {
    AccessRows rows;
    for (std::uint64_t i = 0; i < AccessRows::kMostCode + 3; ++i) {
        rows.add(static_cast<std::uint32_t>(i), access_of(i, i * kAccessLineBytes, kLoadL1, 1));
    }
    EXPECT_EQ(rows.code.size(), AccessRows::kMostCode);
    EXPECT_EQ(rows.without_code, 3U);
    EXPECT_EQ(rows.lines.size(), AccessRows::kMostLines);
    EXPECT_EQ(rows.without_line, 3U);
    for (std::uint32_t thread = 0; thread < 100; ++thread) {
        rows.add(thread, access_of(0, 0, kLoadL1, 1));
    }
    EXPECT_EQ(rows.lines.at(0).threads.size(), AccessRows::kMostThreads);
    EXPECT_EQ(rows.levels.at(static_cast<std::size_t>(MemoryLevel::kL1)).accesses, AccessRows::kMostCode + 103);
}

}  // namespace
}  // namespace kymo::spacetime
