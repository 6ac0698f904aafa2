// A set-associative cache of 128-byte lines that are filled by 32-byte sectors, with hashed sets and
// least-recently-used replacement. It keeps, per line, when its last fill arrives, so that a hit on data still in
// flight waits for it.
//
// The caches of all SMs do not fit into the host's cache, and host misses are most of the cost of a look-up. Hence
// prefetch(), memory from huge pages, and as few host cache lines per look-up as possible: one for a set of four
// ways, two for a larger one, whose groups of four have an index before them.
#pragma once

#include "gpu/model/huge_pages.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>
#include <memory_resource>
#include <span>
#include <vector>

namespace kymo::gpu {

// Spreads lines over sets, slices and channels: a multiplicative hash, so that power-of-two strides do not pile up.
constexpr std::uint64_t spread(std::uint64_t line) {
    line ^= line >> 15U;
    line *= 0x9E37'79B9'7F4A'7C15U;
    return line ^ (line >> 32U);
}

// hash × count / 2^32: a number below `count` without dividing.
constexpr std::uint64_t pick(std::uint64_t hash, std::uint64_t count) {
    return ((hash & 0xFFFF'FFFFU) * count) >> 32U;
}

class SectoredCache {
  public:
    // `bytes` is rounded down to whole sets; 0: a cache that never hits. At most kMostWays. `memory` outlives it.
    SectoredCache(std::uint64_t bytes, unsigned ways, std::pmr::memory_resource* memory = huge_pages());
    static constexpr unsigned kMostWays = 256;

    struct Outcome {
        std::uint8_t hits = 0;           // sectors that were there, or are on their way
        double ready = 0;                // when the last of those arrives; 0: all there
        std::uint8_t evicted_dirty = 0;  // sectors written back to make room
        std::uint64_t evicted_line = 0;
        std::size_t place = kNowhere;  // of the line, where the access was an allocating one
    };
    static constexpr std::size_t kNowhere = ~std::size_t{0};

    // Looks `sectors` of `line` up. With `allocate`, those that miss are there from now on, arriving when arrives()
    // says; with `dirty` they are marked for writing back.
    [[gnu::always_inline]] Outcome access(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty) {
        if (groups_of_set_ != 1) {
            return access_in_index(line, sectors, allocate, dirty);
        }
        const std::size_t set = set_of(spread(line));
        Group& group = groups_[set];
        const std::size_t way = group.way_of(line);
        if (way == kWaysOfGroup) {
            return allocate ? replace_oldest(set, line, sectors, dirty) : Outcome();
        }
        group.use(way);
        return hit(set * kWaysOfGroup + way, sectors, allocate, dirty);
    }
    // The sectors of `line` that the access which gave `place` missed arrive at this time, which is kept in
    // sixteenths of a cycle, rounded up. Another line may have taken the place since: then nothing is kept.
    void arrives(std::size_t place, std::uint64_t line, double time);
    // Has the host fetch what a look-up of the line begins with.
    void prefetch(std::uint64_t line) const {
        const std::size_t set = set_of(spread(line));
        if (groups_of_set_ == 1) {
            __builtin_prefetch(&groups_[set]);
        } else if (groups_of_set_ != 0) {
            __builtin_prefetch(&index_[set * indices_]);
        }
    }
    // Then, once that is cached, what it reads next: the way that has the line, or that it would take.
    void prefetch_way(std::uint64_t line) const;
    // Clears what is in flight, keeps the contents: a new launch, whose time begins at 0, on a warm cache.
    void settle();
    std::uint64_t sets() const { return sets_; }
    unsigned ways() const { return ways_; }

  private:
    static constexpr unsigned kWaysOfGroup = 4;
    static constexpr unsigned kWaysOfIndex = 16;
    static constexpr double kParts = 16;           // of a cycle
    static constexpr std::uint32_t kNoLine = ~0U;  // both halves of the tag of a way without a line
    static constexpr std::uint8_t kNoWay = 0xFF;   // the age of a missing way
    // Those below the limit plus one.
    static __m128i older(__m128i ages, std::uint8_t limit) {
        const __m128i below = _mm_subs_epu8(_mm_set1_epi8(static_cast<char>(limit)), ages);
        return _mm_add_epi8(ages, _mm_min_epu8(below, _mm_set1_epi8(1)));
    }
    struct alignas(64) Group {
        std::array<std::uint32_t, kWaysOfGroup> low;  // halves of the tag, so that four are compared at once
        std::array<std::uint32_t, kWaysOfGroup> high;
        std::array<std::uint32_t, kWaysOfGroup> ready;  // sixteenths of a cycle, behind base_ − settled_
        std::array<std::uint8_t, kWaysOfGroup> age;     // lines of the set used since; not where there is an index
        std::array<std::uint8_t, kWaysOfGroup> valid;
        std::array<std::uint8_t, kWaysOfGroup> dirty;
        bool holds(std::size_t way, std::uint64_t line) const {
            return low[way] == static_cast<std::uint32_t>(line) && high[way] == line >> 32U;
        }
        // kWaysOfGroup: none.
        std::size_t way_of(std::uint64_t line) const {
            const __m128i wanted = _mm_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(line)));
            const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(low.data()));
            auto found = static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(tags, wanted))));
            for (; found != 0; found &= found - 1) {
                const auto way = static_cast<unsigned>(std::countr_zero(found));
                if (high[way] == line >> 32U) {
                    return way;
                }
            }
            return kWaysOfGroup;
        }
        // Makes a way the youngest of its set.
        void use(std::size_t way) {
            if (const std::uint8_t before = age[way]; before != 0) {
                std::uint32_t ages = 0;
                std::memcpy(&ages, age.data(), sizeof ages);
                ages = static_cast<std::uint32_t>(
                    _mm_cvtsi128_si32(older(_mm_cvtsi32_si128(static_cast<int>(ages)), before)));
                std::memcpy(age.data(), &ages, sizeof ages);
                age[way] = 0;
            }
        }
    };
    static_assert(sizeof(Group) == 64);
    // Of sixteen ways: where to look, and which is the oldest.
    struct alignas(32) Index {
        std::array<std::uint8_t, kWaysOfIndex> part;  // of the line's hash
        std::array<std::uint8_t, kWaysOfIndex> age;   // as in Group
    };
    static_assert(sizeof(Index) == 32);

    std::size_t set_of(std::uint64_t hash) const { return pick(hash, sets_); }
    static std::uint8_t part_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash >> 56U); }
    static __m128i sixteen(const std::array<std::uint8_t, kWaysOfIndex>& bytes) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(bytes.data()));
    }
    static unsigned equal(__m128i bytes, std::uint8_t wanted) {
        return static_cast<unsigned>(
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(wanted)))));
    }
    Outcome hit(std::size_t place, std::uint8_t sectors, bool allocate, bool dirty) {
        Group& group = groups_[place / kWaysOfGroup];
        const std::size_t way = place % kWaysOfGroup;
        Outcome outcome;
        outcome.hits = group.valid[way] & sectors;
        outcome.ready = group.ready[way] > settled_ ? base_ + (group.ready[way] - settled_) / kParts : 0;
        if (allocate) {
            group.valid[way] |= sectors;
            group.dirty[way] |= dirty ? sectors : std::uint8_t{0};
            outcome.place = place;
        }
        return outcome;
    }
    Outcome access_in_index(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty);
    void use_in_index(std::size_t set, std::size_t place);
    // Places of a set, its last group's missing ways too.
    std::size_t ways_of_set() const { return std::size_t{groups_of_set_} * kWaysOfGroup; }
    std::size_t oldest(std::size_t set) const;
    Outcome replace_oldest(std::size_t set, std::uint64_t line, std::uint8_t sectors, bool dirty);
    void move_base();

    unsigned ways_;
    unsigned groups_of_set_ = 0;  // 0: no cache
    std::size_t indices_ = 0;     // of a set
    std::uint64_t sets_;
    double base_ = 0;            // the time that corresponds to settled_
    std::uint32_t settled_ = 0;  // what is ready up to here has arrived before the launch
    std::uint32_t latest_ = 0;   // no line is ready later
    std::pmr::vector<Group> groups_;
    std::pmr::vector<Index> index_;  // empty where a set has one group only
};

}  // namespace kymo::gpu
