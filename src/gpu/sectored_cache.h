// A set-associative cache of 128-byte lines that are filled by 32-byte sectors, with hashed sets and
// least-recently-used replacement. It keeps, per line, when its last fill arrives, so that a hit on data still under
// way waits for it.
//
// A line takes 16 bytes, a set of four one line of the host's cache: what all SMs' caches hold does not fit into
// that, and looking there is most of what a look-up costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace kymo::gpu {

class SectoredCache {
  public:
    // `bytes` is rounded down to whole sets; 0: a cache that never hits. At most 65,536 ways.
    SectoredCache(std::uint64_t bytes, unsigned ways);

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
    Outcome access(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty);
    // The sectors of `line` that the access which gave `place` missed arrive at this time, which is kept in
    // sixteenths of a cycle, rounded up. Another line may have taken the place since: then nothing is kept.
    void arrives(std::size_t place, std::uint64_t line, double time);
    // Has the host fetch the set that the line would be in.
    void prefetch(std::uint64_t line) const {
        if (sets_ != 0) {
            const std::size_t first = first_of(line);
            for (unsigned way = 0; way < ways_; way += kHostLineBytes / sizeof(Line)) {
                __builtin_prefetch(&lines_[first + way]);
            }
        }
    }
    // Forgets what is under way, keeps the contents: a new launch, whose time begins at 0, on a warm cache.
    void settle();
    std::uint64_t sets() const { return sets_; }
    unsigned ways() const { return ways_; }

  private:
    static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
    static constexpr std::size_t kHostLineBytes = 64;
    struct Line {
        std::uint64_t tag = kNoLine;
        std::uint32_t ready = 0;  // behind base_
        std::uint16_t age = 0;    // lines of the set used since
        std::uint8_t valid = 0;
        std::uint8_t dirty = 0;
    };
    static_assert(sizeof(Line) == 16);
    template <typename T>
    struct OnHostLines {
        using value_type = T;
        static constexpr std::align_val_t kHostLine{kHostLineBytes};
        OnHostLines() = default;
        template <typename U>
        explicit OnHostLines(const OnHostLines<U>&) {}
        T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kHostLine)); }
        void deallocate(T* at, std::size_t) { ::operator delete(at, kHostLine); }
        bool operator==(const OnHostLines&) const = default;
    };

    std::size_t first_of(std::uint64_t line) const;  // the first of its set
    void use(Line* set, Line& used);                 // makes it the youngest
    void move_base();

    unsigned ways_;
    std::uint64_t sets_;
    double base_ = 0;
    std::vector<Line, OnHostLines<Line>> lines_;
};

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

inline std::size_t SectoredCache::first_of(std::uint64_t line) const {
    return pick(spread(line), sets_) * ways_;
}

}  // namespace kymo::gpu
