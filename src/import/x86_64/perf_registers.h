// x86-64: the general registers as samples have them (asm/perf_regs.h).
#pragma once

#include <array>

namespace kymo::import::x86_64 {

// By bit of the mask: the DWARF number; −1: none of those that unwinding needs.
inline constexpr std::array<int, 24> kDwarfNumbers = {0,  3,  2,  1,  4, 5, 6,  7,  -1, -1, -1, -1,
                                                      -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
inline constexpr unsigned kStackPointerBit = 7;
inline constexpr unsigned kProgramCounterBit = 8;

}  // namespace kymo::import::x86_64
