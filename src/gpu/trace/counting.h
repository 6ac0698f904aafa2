// Counting bits without the processor's instruction, which the baseline x86-64 lacks (the compiler would call a
// function).
#pragma once

#include <array>
#include <cstdint>

namespace kymo::gpu {

// Of a line's four sectors.
constexpr unsigned sectors_in(std::uint8_t sectors) {
    constexpr std::array<std::uint8_t, 16> kCount = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return kCount[sectors & 15U];
}

// Of a warp's lanes.
constexpr unsigned lanes_in(std::uint32_t mask) {
    if (mask == 0xFFFF'FFFFU) {
        return 32;
    }
    mask -= (mask >> 1U) & 0x5555'5555U;
    mask = (mask & 0x3333'3333U) + ((mask >> 2U) & 0x3333'3333U);
    mask = (mask + (mask >> 4U)) & 0x0F0F'0F0FU;
    return (mask * 0x0101'0101U) >> 24U;
}

}  // namespace kymo::gpu
