// The loops over 32 lanes that handlers are made of. Included by lanes/*.cpp alone.
#pragma once

#include "gpu/ptx/lanes/pick.h"

#include <cstring>

#ifndef KYMO_LANES
#error "KYMO_LANES names the instruction set's namespace"
#endif

#ifdef __clang__
#define KYMO_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define KYMO_VECTOR _Pragma("GCC ivdep")
#endif

namespace kymo::gpu::ptx::KYMO_LANES {

Handler pick_integer(const Pick& wanted);
Handler pick_bits(const Pick& wanted);
Handler pick_float(const Pick& wanted);
Handler pick_half(const Pick& wanted);
Handler pick_choice(const Pick& wanted);
Handler pick_convert(const Pick& wanted);
Handler pick_memory(const Pick& wanted);
Handler pick_atomic(const Pick& wanted);
Handler pick_together(const Pick& wanted);
Handler pick_matrix(const Pick& wanted);
Handler pick_barrier_object(const Pick& wanted);
Handler pick_eight_bits(const Pick& wanted);
Handler pick_here(const Pick& wanted);  // any of them

namespace {

constexpr unsigned kLanes = 32;

// A register's lanes.
template <typename T>
[[maybe_unused]] inline T* lanes(const Warp& warp, std::uint32_t place) {
    return static_cast<T*>(__builtin_assume_aligned(warp.frame + place, 64));
}
[[maybe_unused]] inline std::uint32_t& predicate(const Warp& warp, std::uint32_t place) {
    return *reinterpret_cast<std::uint32_t*>(warp.frame + place);
}

// d[i] = f(i) in the lanes of the mask. `f` must have no effects and may read d[i], but no other lane's d.
template <typename D, typename F>
[[maybe_unused]] inline __attribute__((always_inline)) void each(D* d, std::uint32_t mask, F f) {
    if (mask == kAllLanes) {
        KYMO_VECTOR
        for (unsigned i = 0; i < kLanes; ++i) {
            d[i] = f(i);
        }
        return;
    }
    KYMO_VECTOR
    for (unsigned i = 0; i < kLanes; ++i) {
        const D value = f(i);
        const D before = d[i];
        d[i] = (mask >> i & 1U) != 0 ? value : before;
    }
}

// The same for what cannot be vectorised: only the lanes of the mask.
template <typename F>
[[maybe_unused]] inline __attribute__((always_inline)) void each_active(std::uint32_t mask, F f) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        f(static_cast<unsigned>(__builtin_ctz(left)));
    }
}

// One bit a lane.
template <typename F>
[[maybe_unused]] inline __attribute__((always_inline)) std::uint32_t bits(F f) {
    std::uint32_t result = 0;
    KYMO_VECTOR
    for (unsigned i = 0; i < kLanes; ++i) {
        result |= f(i) ? std::uint32_t{1} << i : 0U;
    }
    return result;
}

template <typename D, typename S>
[[maybe_unused]] inline D as(S value) {
    static_assert(sizeof(D) == sizeof(S));
    D result;
    __builtin_memcpy(&result, &value, sizeof result);
    return result;
}

}  // namespace
}  // namespace kymo::gpu::ptx::KYMO_LANES
