// Replaces ticks.h where the primitives are compiled as an eBPF program: ticks are nanoseconds of CLOCK_MONOTONIC,
// by the kernel's own helper.
#pragma once

#include "cells/layout.h"

#include <cstdint>

namespace kymo::cells {

struct TickRate {
    TickKind kind = TickKind::kMonotonic;
    static std::uint64_t to_ns(std::uint64_t ticks) { return ticks; }
};

inline std::uint64_t read_ticks(TickKind) {
    constexpr std::uintptr_t kGetTime = 5;  // bpf_ktime_get_ns: helpers are called by number, which is kernel ABI
    return reinterpret_cast<std::uint64_t (*)()>(kGetTime)();
}

}  // namespace kymo::cells
