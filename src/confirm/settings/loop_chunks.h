// How many rounds of a loop a thread of OpenMP takes at once, in an experiment. Pure.
#pragma once

#include <cstdint>

namespace kymo::settings {

enum class Chunks : std::uint8_t { kAsTheyAre, kLarger, kSmaller };

// Larger: 16 times as many as the program asks for, but four pieces a thread are left. Smaller: at least 32 pieces a
// thread. Never less than one, and never on the other side of what the program asks for.
constexpr std::uint64_t chunk_of(Chunks wanted, std::uint64_t rounds, std::uint64_t threads, std::uint64_t asked) {
    constexpr std::uint64_t kTimes = 16;
    constexpr std::uint64_t kFewPieces = 4;
    constexpr std::uint64_t kManyPieces = 32;
    const std::uint64_t team = threads == 0 ? 1 : threads;
    const std::uint64_t own = asked == 0 ? 1 : asked;
    if (wanted == Chunks::kLarger) {
        const std::uint64_t most = rounds / team / kFewPieces;
        const std::uint64_t larger = own > most / kTimes ? most : own * kTimes;
        return larger > own ? larger : own;
    }
    if (wanted == Chunks::kSmaller) {
        const std::uint64_t most = rounds / team / kManyPieces;
        const std::uint64_t smaller = most == 0 ? 1 : most;
        return smaller < own ? smaller : own;
    }
    return own;
}

// Of `for (i = begin; i != end; i += step)`; step is negative where it counts down, and never 0.
constexpr std::uint64_t rounds_of(std::int64_t begin, std::int64_t end, std::int64_t step) {
    const bool is_up = step > 0;
    if (is_up ? end <= begin : end >= begin) {
        return 0;
    }
    const std::uint64_t way = is_up ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin)
                                    : static_cast<std::uint64_t>(begin) - static_cast<std::uint64_t>(end);
    const std::uint64_t stride = is_up ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    return (way - 1) / stride + 1;
}

}  // namespace kymo::settings
