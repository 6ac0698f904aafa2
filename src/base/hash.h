// Hashes of numbers, for tables in memory: not stored, and not safe against chosen keys.
#pragma once

#include <cstdint>

namespace kymo {

// Every bit of the value moves every bit of the result: the finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
constexpr std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ value >> 27U) * 0x94d049bb133111ebULL;
    return value ^ value >> 31U;
}

// Of two words, for tables of the standard library; half the cost of mix().
constexpr std::uint64_t hash_of(std::uint64_t first, std::uint64_t second) {
    const std::uint64_t value = first * 0x9e3779b97f4a7c15ULL ^ second * 0xc2b2ae3d27d4eb4fULL;
    return value ^ value >> 29U;
}

}  // namespace kymo
