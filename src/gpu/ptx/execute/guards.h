// Predicates, and the lanes that they let execute.
#pragma once

#include "gpu/ptx/select/compile.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace kymo::gpu::ptx {

inline std::uint32_t predicate(const Warp& warp, std::uint32_t place) {
    std::uint32_t value = 0;
    std::memcpy(&value, warp.frame + place, sizeof value);
    return value;
}

// The lanes in which a guarded operation executes.
inline std::uint32_t guarded(const Warp& warp, std::uint8_t how, std::uint32_t place, std::uint32_t mask) {
    return how == 0 ? mask : mask & (how == 1 ? predicate(warp, place) : ~predicate(warp, place));
}

template <typename F>
void each_lane(std::uint32_t mask, F f) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        f(static_cast<unsigned>(std::countr_zero(left)));
    }
}

}  // namespace kymo::gpu::ptx
