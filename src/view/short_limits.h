// How many rows each part of a short report has: fewer and fewer, until the report fits the terminal.
#pragma once

#include <array>
#include <cstddef>

namespace kymo::view {

inline constexpr std::size_t kShortLines = 60;  // of a report without options

struct ShortLimits {
    std::size_t findings = 3;  // of three lines
    std::size_t tree = 10;
    std::size_t functions = 5;
    std::size_t threads = 5;
    std::size_t notes = 3;
    std::size_t waits = 3;
    std::size_t others = 5;  // of ranks, programs, channels, hosts, a second look's tables

    static ShortLimits all(std::size_t top) { return {3, 10, top, top, 3, top < 3 ? top : 3, top}; }
};

// Most first.
inline constexpr std::array<ShortLimits, 8> kShortLimits = {{
    {3, 10, 5, 5, 3, 3, 5},
    {3, 9, 5, 4, 3, 3, 4},
    {3, 8, 5, 4, 2, 2, 3},
    {3, 7, 4, 3, 2, 2, 2},
    {2, 6, 3, 2, 1, 1, 1},
    {2, 5, 2, 1, 1, 1, 0},
    {1, 5, 2, 1, 1, 1, 0},
    {1, 4, 2, 1, 1, 1, 0},
}};

}  // namespace kymo::view
