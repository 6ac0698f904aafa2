// Times of the model, which are fractions of cycles, and cycles.
#pragma once

#include <cstdint>

namespace kymo::gpu {

// The cycle in which something that comes at `time` can first be used; times are below 2^63. Through signed numbers,
// which the baseline x86-64 converts in one instruction, and rounds up in none.
inline std::uint64_t cycle(double time) {
    const auto whole = static_cast<std::int64_t>(time);
    return static_cast<std::uint64_t>(whole + (static_cast<double>(whole) < time ? 1 : 0));
}
inline double time_of(std::uint64_t cycle) {
    return static_cast<double>(static_cast<std::int64_t>(cycle));
}

}  // namespace kymo::gpu
