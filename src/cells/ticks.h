// The processor's own constant-rate counter, and nanoseconds from it. For durations only.
//
// Where the processor has none (base/native.h), ticks are nanoseconds of CLOCK_MONOTONIC: 22 ns a reading instead of
// some 8. Usable in the guest and in handlers.
#pragma once

#include "base/native.h"
#include "base/time.h"
#include "cells/layout.h"

#include <cstdint>

namespace kymo::cells {

struct TickRate {
    TickKind kind = TickKind::kMonotonic;
    std::uint32_t shift = 0;
    std::uint64_t multiplier = 1;

    std::uint64_t to_ns(std::uint64_t ticks) const {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(ticks) * multiplier >> shift);
    }
};

inline std::uint64_t read_ticks(TickKind kind) {
    return kind == TickKind::kCounter ? processor::read_counter() : monotonic_now().ns;
}

struct TickPair {
    std::uint64_t ticks = 0;
    std::uint64_t ns = 0;
};

// Both clocks at one time, to some tens of nanoseconds: the closest of a few tries.
inline TickPair read_tick_pair() {
    constexpr int kTries = 9;
    TickPair best;
    std::uint64_t closest = UINT64_MAX;
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t before = processor::read_counter();
        const std::uint64_t ns = monotonic_now().ns;
        const std::uint64_t after = processor::read_counter();
        if (after - before < closest) {
            closest = after - before;
            best = {before + (after - before) / 2, ns};
        }
    }
    return best;
}

// The rate between two pairs; `ok` is false if there is none (the counter stopped, or ran backwards).
inline bool rate_between(const TickPair& first, const TickPair& second, TickRate& rate) {
    if (second.ns <= first.ns || second.ticks <= first.ticks) {
        return false;
    }
    constexpr std::uint32_t kShift = 32;
    const auto wide = static_cast<unsigned __int128>(second.ns - first.ns) << kShift;
    const auto multiplier = wide / (second.ticks - first.ticks);
    if (multiplier == 0 || multiplier >> 48U != 0) {
        return false;
    }
    rate = {TickKind::kCounter, kShift, static_cast<std::uint64_t>(multiplier)};
    return true;
}

// Measures for `spin_ns` of this thread's time: 5 ms give the rate to about 1 in 100,000.
inline TickRate measure_ticks(std::uint64_t spin_ns) {
    TickRate rate;
    if (processor::has_constant_counter()) {
        const TickPair first = read_tick_pair();
        while (monotonic_now().ns - first.ns < spin_ns) {
        }
        rate_between(first, read_tick_pair(), rate);
    }
    return rate;
}

}  // namespace kymo::cells
