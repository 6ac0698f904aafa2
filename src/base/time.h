// Time points, and the one clock. Usable in the monitor.
//
// Time points are nanoseconds of CLOCK_MONOTONIC, as in the kernel's records, unless a recording names another
// clock domain (modelled time).
#pragma once

#include <compare>
#include <cstdint>
#include <ctime>

namespace kymo {

struct TimePoint {
    std::uint64_t ns = 0;
    constexpr auto operator<=>(const TimePoint&) const = default;
};

// ns of one clock, or since a run's begin. The end is not in it.
struct TimeRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool operator==(const TimeRange&) const = default;
};

// The function that reads the clocks: the C library's, or its replacement, until use_system_clock()
// (base/system_clock.h).
using ClockFunction = int (*)(clockid_t, timespec*);
inline ClockFunction clock_function = &clock_gettime;

inline TimePoint read_clock(clockid_t clock) {
    timespec now{};
    clock_function(clock, &now);
    return {static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec)};
}

// The offset that this process's time namespace adds to CLOCK_MONOTONIC and its coarse form, ns
// (base/namespaces/time_namespace.h).
inline std::int64_t monotonic_shift = 0;

inline TimePoint without_shift(TimePoint time) {
    return {time.ns - static_cast<std::uint64_t>(monotonic_shift)};
}

inline TimePoint monotonic_now() {
    return without_shift(read_clock(CLOCK_MONOTONIC));
}

}  // namespace kymo
