// x86-64: the present speed of the processor.
//
// Contract: usable in signal handlers; some 100 ns.
#pragma once

#include <cstdint>

namespace kymo::monitor::x86_64 {

// Ticks of the time-stamp counter that a fixed piece of arithmetic takes: four chains side by side, as many as a
// core has room for, so that it takes longer while the core's other thread is busy, with any process. Run once
// before, to have the code in the cache. An interrupt makes it longer.
inline std::uint64_t pace_ticks() {
    std::uint64_t ticks = 0;
    for (int turn = 0; turn < 2; ++turn) {
        std::uint64_t a = 1;
        std::uint64_t b = 2;
        std::uint64_t c = 3;
        std::uint64_t d = 4;
        const std::uint64_t begin = __builtin_ia32_rdtsc();
        for (int i = 0; i < 24; ++i) {
            a = a * 3 + 1;
            b = b * 5 + 1;
            c = (c ^ (c << 13U)) + a;
            d = (d ^ (d >> 7U)) + b;
            asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        }
        ticks = __builtin_ia32_rdtsc() - begin;
    }
    return ticks;
}

}  // namespace kymo::monitor::x86_64
