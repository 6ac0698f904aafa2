// The cache held against one written the plainest way.
#include "gpu/model/sectored_cache.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <list>
#include <random>

namespace kymo::gpu {
namespace {

// Sets as lists, the youngest first.
class Plain {
  public:
    struct Line {
        std::uint64_t line = 0;
        std::uint8_t valid = 0;
        std::uint8_t dirty = 0;
        double ready = 0;
    };
    Plain(std::uint64_t sets, unsigned ways) : ways_(ways), sets_(sets) {}
    SectoredCache::Outcome access(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty) {
        SectoredCache::Outcome outcome;
        auto& set = set_of(line);
        auto at = find(set, line);
        if (at == set.end()) {
            if (!allocate) {
                return outcome;
            }
            if (set.size() == ways_) {
                outcome.evicted_dirty = set.back().dirty;
                outcome.evicted_line = set.back().line;
                set.pop_back();
            }
            set.push_front({line, 0, 0, 0});
            at = set.begin();
        }
        set.splice(set.begin(), set, at);
        outcome.hits = at->valid & sectors;
        outcome.ready = at->ready;
        if (allocate) {
            at->valid |= sectors;
            at->dirty |= dirty ? sectors : std::uint8_t{0};
        }
        return outcome;
    }
    void arrives(std::uint64_t line, double time) {
        auto& set = set_of(line);
        if (const auto at = find(set, line); at != set.end()) {
            at->ready = std::max(at->ready, std::ceil(time * 16) / 16);
        }
    }
    void settle() {
        for (auto& set : sets_) {
            for (Line& line : set) {
                line.ready = 0;
            }
        }
    }

  private:
    std::list<Line>& set_of(std::uint64_t line) { return sets_[pick(spread(line), sets_.size())]; }
    static std::list<Line>::iterator find(std::list<Line>& set, std::uint64_t line) {
        return std::find_if(set.begin(), set.end(), [&](const Line& other) { return other.line == line; });
    }
    unsigned ways_;
    std::vector<std::list<Line>> sets_;
};

class SectoredCacheOfWays : public testing::TestWithParam<unsigned> {};

TEST_P(SectoredCacheOfWays, DoesAsThePlainOne) {
    constexpr unsigned kSets = 4;
    SectoredCache cache(std::uint64_t{128} * kSets * GetParam(), GetParam());
    ASSERT_EQ(cache.sets(), kSets);
    Plain plain(kSets, GetParam());
    std::mt19937_64 random(GetParam());
    double now = 0;
    unsigned evicted = 0;
    for (int i = 0; i < 20'000; ++i) {
        // Lines that differ in the lower half of their number only, and in the upper half only.
        const std::uint64_t line = random() % (GetParam() * 3) + (random() % 2 << 33U);
        const auto sectors = static_cast<std::uint8_t>(1 + random() % 15);
        const bool allocate = random() % 4 != 0;
        const bool dirty = allocate && random() % 3 == 0;
        const auto got = cache.access(line, sectors, allocate, dirty);
        const auto expected = plain.access(line, sectors, allocate, dirty);
        ASSERT_EQ(got.hits, expected.hits) << i;
        ASSERT_EQ(got.evicted_dirty, expected.evicted_dirty) << i;
        if (got.evicted_dirty != 0) {
            ++evicted;
            ASSERT_EQ(got.evicted_line, expected.evicted_line) << i;
        }
        // Times long past may be forgotten.
        ASSERT_TRUE(got.ready == expected.ready || (got.ready <= now && expected.ready <= now)) << i;
        now += static_cast<double>(random() % 1000) / 7;
        if (random() % 4096 == 0) {
            now += 100e6;  // further than a line's time reaches without its base moving
        }
        cache.prefetch(line);
        cache.prefetch_way(line);
        if (allocate && got.hits != sectors) {
            const double arrives = now + static_cast<double>(random() % 100'000) / 32;
            cache.arrives(got.place, line, arrives);
            plain.arrives(line, arrives);
        }
        if (random() % 2048 == 0) {
            cache.settle();
            plain.settle();
            now = 0;
        }
    }
    EXPECT_GT(evicted, 100U);
}

INSTANTIATE_TEST_SUITE_P(Ways, SectoredCacheOfWays, testing::Values(1, 2, 3, 4, 7, 16, 18, 255, 256));

TEST(SectoredCache, SmallerThanASetHasFewerWays) {
    SectoredCache cache(3 * 128, 4);
    EXPECT_EQ(cache.sets(), 1U);
    EXPECT_EQ(cache.ways(), 3U);
    for (const std::uint64_t line : {1U, 2U, 3U, 1U, 4U}) {  // 4 takes the place of 2
        (void)cache.access(line, 1, true, false);
    }
    EXPECT_EQ(cache.access(2, 1, false, false).hits, 0);
    EXPECT_EQ(cache.access(1, 1, false, false).hits, 1);
    EXPECT_EQ(cache.access(3, 1, false, false).hits, 1);
}

TEST(SectoredCache, WithoutBytesItNeverHits) {
    SectoredCache cache(0, 4);
    cache.prefetch(1);
    cache.prefetch_way(1);
    (void)cache.access(1, 15, true, true);
    EXPECT_EQ(cache.access(1, 15, true, true).hits, 0);
}

}  // namespace
}  // namespace kymo::gpu
