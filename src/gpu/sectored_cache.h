// A set-associative cache of 128-byte lines that are filled by 32-byte sectors, with hashed sets and
// least-recently-used replacement. It keeps, per line, when its last fill arrives, so that a hit on data still under
// way waits for it.
//
// Four ways take one line of the host's cache: what all SMs' caches hold does not fit into that, and looking there
// is most of what a look-up costs. Hence prefetch(), and memory from huge pages.
#pragma once

#include "gpu/huge_pages.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <emmintrin.h>
#include <memory_resource>
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
    // `bytes` is rounded down to whole sets; 0: a cache that never hits. At most 4,096 ways. `memory` outlives it.
    SectoredCache(std::uint64_t bytes, unsigned ways, std::pmr::memory_resource* memory = huge_pages());

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
    Outcome access(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty) {
        if (sets_ == 0) {
            return {};
        }
        const std::size_t first = first_of(line);
        for (std::size_t group = first; group != first + groups_; ++group) {
            Group& ways = lines_[group];
            for (unsigned hit = ways.with_low(line); hit != 0; hit &= hit - 1) {
                const unsigned way = static_cast<unsigned>(std::countr_zero(hit));
                if (ways.high[way] != line >> 32U) {
                    continue;
                }
                Outcome outcome;
                outcome.hits = ways.valid[way] & sectors;
                outcome.ready = ways.ready[way] > settled_ ? base_ + (ways.ready[way] - settled_) / kParts : 0;
                if (ways.age[way] != 0) {
                    use(first, group, way);
                }
                if (allocate) {
                    ways.valid[way] |= sectors;
                    ways.dirty[way] |= dirty ? sectors : std::uint8_t{0};
                    outcome.place = group * kWaysOfGroup + way;
                }
                return outcome;
            }
        }
        return allocate ? replace_oldest(first, line, sectors, dirty) : Outcome();
    }
    // The sectors of `line` that the access which gave `place` missed arrive at this time, which is kept in
    // sixteenths of a cycle, rounded up. Another line may have taken the place since: then nothing is kept.
    void arrives(std::size_t place, std::uint64_t line, double time);
    // Has the host fetch the set that the line would be in.
    void prefetch(std::uint64_t line) const {
        if (sets_ != 0) {
            const std::size_t first = first_of(line);
            for (unsigned group = 0; group < groups_; ++group) {
                __builtin_prefetch(&lines_[first + group]);
            }
        }
    }
    // Forgets what is under way, keeps the contents: a new launch, whose time begins at 0, on a warm cache.
    void settle();
    std::uint64_t sets() const { return sets_; }
    unsigned ways() const { return ways_; }

  private:
    static constexpr unsigned kWaysOfGroup = 4;
    static constexpr double kParts = 16;             // of a cycle
    static constexpr std::uint32_t kNoLine = ~0U;    // both halves of the tag of a way without a line
    static constexpr std::uint16_t kNoWay = 0x7FFF;  // the age of one that is not there
    struct alignas(64) Group {
        std::array<std::uint32_t, kWaysOfGroup> low;  // halves of the tag, so that four are compared at once
        std::array<std::uint32_t, kWaysOfGroup> high;
        std::array<std::uint32_t, kWaysOfGroup> ready;  // sixteenths of a cycle, behind base_ − settled_
        std::array<std::uint16_t, kWaysOfGroup> age;    // lines of the set used since
        std::array<std::uint8_t, kWaysOfGroup> valid;
        std::array<std::uint8_t, kWaysOfGroup> dirty;
        // Bit i: way i may hold the line.
        unsigned with_low(std::uint64_t line) const {
            const __m128i wanted = _mm_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(line)));
            const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(low.data()));
            return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(tags, wanted))));
        }
        // Lines younger than this are one older now.
        void age_younger_than(std::uint16_t limit) {
            auto* const at = reinterpret_cast<__m128i*>(age.data());
            const __m128i ages = _mm_loadl_epi64(at);
            const __m128i younger = _mm_cmplt_epi16(ages, _mm_set1_epi16(static_cast<std::int16_t>(limit)));
            _mm_storel_epi64(at, _mm_sub_epi16(ages, younger));  // true is −1
        }
    };
    static_assert(sizeof(Group) == 64);

    // The first group of the line's set.
    std::size_t first_of(std::uint64_t line) const { return pick(spread(line), sets_) * groups_; }
    // Makes a way the youngest of its set.
    void use(std::size_t first, std::size_t group, unsigned way) {
        const std::uint16_t before = lines_[group].age[way];
        for (std::size_t other = first; other != first + groups_; ++other) {
            lines_[other].age_younger_than(before);
        }
        lines_[group].age[way] = 0;
    }
    Outcome replace_oldest(std::size_t first, std::uint64_t line, std::uint8_t sectors, bool dirty);
    void move_base();

    unsigned ways_;
    unsigned groups_ = 0;  // of a set
    std::uint64_t sets_;
    double base_ = 0;            // the time that settled_ stands for
    std::uint32_t settled_ = 0;  // what is ready up to here has arrived before the launch
    std::uint32_t latest_ = 0;   // no line is ready later
    std::pmr::vector<Group> lines_;
};

}  // namespace kymo::gpu
