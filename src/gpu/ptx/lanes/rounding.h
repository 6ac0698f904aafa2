// Floating-point details that several files of lanes/ share: NaNs, denormals, and rounding modes other than to
// nearest.
#pragma once

#include "gpu/ptx/lanes/lanes.h"

#include <cfenv>
#include <cmath>

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

// What GPUs give for any single-precision result that is not a number.
constexpr std::uint32_t kCanonicalNan = 0x7FFF'FFFFU;

[[maybe_unused]] inline float canonical(float value) {
    return value != value ? as<float>(kCanonicalNan) : value;
}
[[maybe_unused]] inline double canonical(double value) {
    return value;
}

// .ftz: a denormal counts as 0 of its sign.
[[maybe_unused]] inline float flushed(float value) {
    const auto word = as<std::uint32_t>(value);
    return (word & 0x7F80'0000U) == 0 ? as<float>(word & 0x8000'0000U) : value;
}
[[maybe_unused]] inline double flushed(double value) {
    return value;
}

// .sat: to [0, 1]; NaN becomes 0.
template <typename T>
[[maybe_unused]] inline T saturated(T value) {
    return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
}

// Sets the processor's rounding for a while. Loops under it read and write memory, so they stay inside.
class RoundingScope {
  public:
    explicit RoundingScope(Rounding rounding) {
        std::fesetround(rounding == Rounding::kZero   ? FE_TOWARDZERO
                        : rounding == Rounding::kDown ? FE_DOWNWARD
                        : rounding == Rounding::kUp   ? FE_UPWARD
                                                      : FE_TONEAREST);
        asm volatile("" ::: "memory");
    }
    ~RoundingScope() {
        asm volatile("" ::: "memory");
        std::fesetround(FE_TONEAREST);
    }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;
};

}  // namespace
}  // namespace kymo::gpu::ptx::KYMO_LANES
