#include "base/tables/number_table.h"

#include <gtest/gtest.h>
#include <map>

namespace kymo {
namespace {

struct Same {
    std::size_t operator()(std::uint64_t) const { return 7; }
};
struct Own {
    std::size_t operator()(std::uint64_t key) const { return key; }
};

TEST(NumberTable, GivesEveryKeyTheNumberThatItHadAtFirst) {
    NumberTable<std::uint64_t, Own> table;
    std::map<std::uint64_t, std::uint32_t> known;
    std::uint64_t key = 1;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        key = key * 6364136223846793005ULL + 1442695040888963407ULL;
        const std::uint64_t chosen = (key >> 48U) * 4096;  // 65,536 keys whose lower bits are equal
        const auto expected = known.try_emplace(chosen, i);
        const auto [number, is_new] = table.try_emplace(chosen, i);
        ASSERT_EQ(is_new, expected.second);
        ASSERT_EQ(number, expected.first->second);
    }
    EXPECT_EQ(table.size(), known.size());
}

TEST(NumberTable, TellsKeysOfOneHashApart) {
    NumberTable<std::uint64_t, Same> table;
    for (std::uint64_t key = 0; key < 300; ++key) {
        ASSERT_EQ(table.try_emplace(key, 2 * key), (std::pair(static_cast<std::uint32_t>(2 * key), true)));
    }
    for (std::uint64_t key = 0; key < 300; ++key) {
        ASSERT_EQ(table.try_emplace(key, 0), (std::pair(static_cast<std::uint32_t>(2 * key), false)));
    }
}

}  // namespace
}  // namespace kymo
