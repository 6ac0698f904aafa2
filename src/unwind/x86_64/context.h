// x86-64: where a signal's context (ucontext_t) keeps the registers: as in Linux,
// arch/x86/include/uapi/asm/ucontext.h and sigcontext.h.
#pragma once

#include "unwind/x86_64/registers.h"

#include <array>
#include <cstdint>

namespace kymo::unwind::x86_64 {

inline constexpr std::uint64_t kContextRegisters = 40;  // offset of the words below

// Which of the words each general register is, by DWARF number.
inline constexpr std::array<int, kGeneralRegisters> kInContext = {13, 12, 14, 11, 9, 8, 10, 15,
                                                                  0,  1,  2,  3,  4, 5, 6,  7};
inline constexpr int kPcInContext = 16;

}  // namespace kymo::unwind::x86_64
