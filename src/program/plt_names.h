// Names of linkage-table entries ("memcpy@plt"): which symbol an entry jumps to.
#pragma once

#include "program/code_names.h"

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <optional>
#include <span>
#include <string_view>

namespace kymo::program {

// Gives a frame to every offset that has none and lies in .plt, .plt.got or .plt.sec.
void name_by_plt(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names);

// The address of the table slot through which the 16-byte entry in `code` at `address` jumps; none if it is not
// such an entry, and for machines whose entries compute it otherwise (sw_64) or that have no decoder. x86-64: `jmp
// *d(%rip)`, behind an endbr64 or bnd prefix if there is one; aarch64: adrp, ldr; RISC-V: auipc, ld; LoongArch:
// pcaddu12i, ld.d.
std::optional<std::uint64_t> plt_slot(std::uint16_t machine, std::span<const std::uint8_t> code,
                                      std::uint64_t address);

}  // namespace kymo::program
