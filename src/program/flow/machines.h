// ELF machine numbers (e_machine) that the C library's elf.h may lack.
#pragma once

#include <cstdint>

namespace kymo::program {

inline constexpr std::uint16_t kMachineSw64 = 0x9916;    // Sunway; binutils' unofficial number for it
inline constexpr std::uint16_t kMachineLoongarch = 258;  // EM_LOONGARCH

}  // namespace kymo::program
