// When each of a warp's registers may be used, and what made it wait. Traces name vector registers; predicate and
// uniform registers, which they leave out, are one entry each.
#pragma once

#include "gpu/result.h"

#include <algorithm>
#include <array>

namespace kymo::gpu {

class Scoreboard {
  public:
    static constexpr unsigned kPredicate = 255;  // RZ's place, which is never written
    static constexpr unsigned kUniform = 256;
    static constexpr unsigned kEntries = 257;

    // For a new warp: of its vector registers only the first `registers` can have been written.
    void clear(unsigned registers) {
        std::fill(ready_.begin(), ready_.begin() + std::min(registers, kPredicate), 0);
        ready_[kPredicate] = ready_[kUniform] = 0;
    }
    void write(unsigned entry, std::uint64_t ready, Cause cause) {
        ready_[entry] = ready;
        cause_[entry] = cause;
    }
    // Moves `ready` and `cause` to the entry's, if that is later.
    void wait(unsigned entry, std::uint64_t& ready, Cause& cause) const {
        if (ready_[entry] > ready) {
            ready = ready_[entry];
            cause = cause_[entry];
        }
    }

  private:
    std::array<std::uint64_t, kEntries> ready_{};
    std::array<Cause, kEntries> cause_{};
};

}  // namespace kymo::gpu
