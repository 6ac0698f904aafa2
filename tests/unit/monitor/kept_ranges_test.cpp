#include "monitor/kept_ranges.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace {

using kymo::monitor::KeptRanges;

void* page(std::size_t number) {
    return reinterpret_cast<void*>(number * KeptRanges::kPageBytes);
}

TEST(KeptRanges, GiveBackARangeOfTheSameNumberOfPages) {
    KeptRanges kept;
    EXPECT_TRUE(kept.put(page(0x7ffffffff), 3 * KeptRanges::kPageBytes - 1));
    EXPECT_EQ(kept.take(2 * KeptRanges::kPageBytes), nullptr);
    EXPECT_EQ(kept.take(3 * KeptRanges::kPageBytes), page(0x7ffffffff));
    EXPECT_EQ(kept.take(3 * KeptRanges::kPageBytes), nullptr);
}

TEST(KeptRanges, KeepNeitherMorePagesNorMoreRangesThanTheirLimits) {
    KeptRanges kept;
    EXPECT_FALSE(kept.put(page(1), (KeptRanges::kMostPages + 1) * KeptRanges::kPageBytes));
    EXPECT_TRUE(kept.put(page(1), KeptRanges::kMostPages * KeptRanges::kPageBytes));
    EXPECT_FALSE(kept.put(page(1 << 20), 1));
    EXPECT_EQ(kept.take(KeptRanges::kMostPages * KeptRanges::kPageBytes), page(1));
    for (std::size_t i = 1; i <= KeptRanges::kPlaces; ++i) {
        EXPECT_TRUE(kept.put(page(i), 1));
    }
    EXPECT_FALSE(kept.put(page(1 << 20), 1));
    EXPECT_FALSE(kept.put(page(1 << 20), 0));
}

TEST(KeptRanges, AreOneCallersAtATime) {
    const auto kept = std::make_unique<KeptRanges>();
    constexpr int kRanges = 64;
    for (int i = 1; i <= kRanges; ++i) {
        ASSERT_TRUE(kept->put(page(static_cast<std::size_t>(i)), 1));
    }
    std::vector<std::vector<void*>> taken(4);
    {
        std::vector<std::jthread> threads;
        threads.reserve(taken.size());
        for (auto& mine : taken) {
            threads.emplace_back([&kept, &mine] {
                for (int i = 0; i < 10000; ++i) {
                    if (void* const at = kept->take(1); at != nullptr && (i % 1000 == 0 || !kept->put(at, 1))) {
                        mine.push_back(at);
                    }
                }
            });
        }
    }
    std::set<void*> seen;
    for (const auto& mine : taken) {
        for (void* const at : mine) {
            EXPECT_TRUE(seen.insert(at).second) << "taken twice";
        }
    }
    while (void* const at = kept->take(1)) {
        EXPECT_TRUE(seen.insert(at).second) << "kept twice";
    }
    EXPECT_EQ(seen.size(), kRanges);
}

}  // namespace
