// Events with known sources.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace kymo::pairs {

// One heavy source (key 1) with share p; the rest: `others` sources of equal share, or, with 0, never the same twice.
class OneHeavy {
  public:
    OneHeavy(double p, std::uint64_t others, std::uint64_t seed)
        : random_(seed), heavy_(static_cast<std::uint64_t>(std::ldexp(p, 53)) << 11U), others_(others) {}
    std::uint64_t next() {
        if (random_() < heavy_) {
            return 1;
        }
        return others_ == 0 ? ++fresh_ : 2 + random_() % others_;
    }

  private:
    std::mt19937_64 random_;
    std::uint64_t heavy_;  // of 2⁶⁴ values so many mean the heavy source
    std::uint64_t others_;
    std::uint64_t fresh_ = 1U << 20U;
};

}  // namespace kymo::pairs
