// Pseudo-random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
//
// The distributions of <random> are not fixed by the standard, and a report must not change with the library.
#pragma once

#include "base/hash.h"

#include <cstdint>

namespace kymo::findings {

class Random {
  public:
    explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        return mix(state_);
    }
    // Uniform in [0, bound), with a bias below bound / 2^64. Precondition: bound > 0.
    constexpr std::uint64_t below(std::uint64_t bound) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((Wide{next()} * bound) >> 64U);
    }
    // Uniform in [0, 1).
    constexpr double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  private:
    std::uint64_t state_;
};

}  // namespace kymo::findings
