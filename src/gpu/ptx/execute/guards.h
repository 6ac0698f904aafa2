// Predicates, and the lanes that they let execute.
#pragma once

#include "gpu/ptx/select/compile.h"

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

}  // namespace kymo::gpu::ptx
