// When each of a warp's registers may be used, and what delays it. Traces name vector registers; predicate and
// uniform registers, which traces omit, are one entry each.
//
// An entry is a time and its cause in one word, and there are as many as the program names: thousands of warps are
// in flight, and their scoreboards must be read from the level of the host's caches that holds them.
#pragma once

#include "gpu/model/result.h"

#include <algorithm>
#include <cstdint>
#include <memory_resource>

namespace kymo::gpu {

class Scoreboard {
  public:
    static constexpr unsigned kPredicate = 0;
    static constexpr unsigned kUniform = 1;
    // A program with IssueControl names no registers; its barriers take their places.
    static constexpr std::uint16_t of_barrier(unsigned number) { return static_cast<std::uint16_t>(number + 2); }
    static constexpr std::uint16_t of_register(unsigned number) { return static_cast<std::uint16_t>(number + 2); }

    // For a new warp, which names entries below `entries` only. `memory` outlives it, and frees what it gave only
    // then.
    void clear(unsigned entries, std::pmr::memory_resource& memory) {
        const unsigned lines = (entries + kPerLine - 1) / kPerLine;
        if (lines > lines_) {
            // Whole host cache lines; otherwise prefetch() would miss what is behind the last whole one.
            entries_ = static_cast<std::uint64_t*>(memory.allocate(lines * kLine, kLine));
            lines_ = lines;
        }
        std::fill_n(entries_, std::size_t{lines_} * kPerLine, 0);
    }
    // Has the host fetch the entries.
    void prefetch() const {
        for (unsigned i = 0; i < lines_; ++i) {
            __builtin_prefetch(entries_ + std::size_t{i} * kPerLine);
        }
    }
    void write(unsigned entry, std::uint64_t ready, Cause cause) {
        entries_[entry] = ready << kCauseBits | static_cast<std::uint64_t>(cause);
    }
    // A barrier that several instructions raise opens with the last of them.
    void raise(unsigned entry, std::uint64_t ready, Cause cause) {
        if (entries_[entry] >> kCauseBits < ready) {
            write(entry, ready, cause);
        }
    }
    // Moves `ready` and `cause` to the entry's, if that is later.
    void wait(unsigned entry, std::uint64_t& ready, Cause& cause) const {
        const std::uint64_t known = entries_[entry];
        if (known >> kCauseBits > ready) {
            ready = known >> kCauseBits;
            cause = static_cast<Cause>(known & ((1U << kCauseBits) - 1));
        }
    }

  private:
    static constexpr unsigned kCauseBits = 4;
    static_assert(kCauses <= 1U << kCauseBits);
    static constexpr std::size_t kLine = 64;
    static constexpr unsigned kPerLine = kLine / sizeof(std::uint64_t);
    std::uint64_t* entries_ = nullptr;
    unsigned lines_ = 0;
};

}  // namespace kymo::gpu
