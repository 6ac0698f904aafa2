// aarch64: the general registers as samples have them (asm/perf_regs.h): in DWARF's order, then the program counter.
#pragma once

#include <array>

namespace kymo::import::aarch64 {

inline constexpr std::array<int, 32> kDwarfNumbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
inline constexpr unsigned kStackPointerBit = 31;
inline constexpr unsigned kProgramCounterBit = 32;

}  // namespace kymo::import::aarch64
