// The time, and the C library's times, as nanoseconds.
#pragma once

#include "base/time.h"

#include <cstdint>
#include <ctime>
#include <sys/time.h>

namespace kymo::monitor {

// Of CLOCK_MONOTONIC.
inline std::uint64_t clock_now() {
    return monotonic_now().ns;
}

constexpr std::uint64_t nanoseconds(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

constexpr std::uint64_t nanoseconds(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_usec) * 1'000U;
}

}  // namespace kymo::monitor
