// Processors by their number in ELF files (e_machine) that older <elf.h> do not name.
#pragma once

#include <cstdint>

namespace kymo {

inline constexpr std::uint16_t kMachineLoongArch = 258;         // EM_LOONGARCH
inline constexpr std::uint16_t kMachineSunway = 0x9916;         // EM_SW64 of the ports of Linux and QEMU
inline constexpr std::uint16_t kMachineSunwayRegistered = 268;  // EM_SW64 in the ELF registry, assigned later

}  // namespace kymo
