// Facts of a kernel that only the machine code's compiler determines, read from a cubin: an ELF file with a
// section ".text.KERNEL" for each kernel, whose sh_info has the registers per thread in its upper eight bits.
//
// Contract: pure; the bytes may be anything. Errors: kMalformed.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace kymo::gpu {

// By kernel as the linker names it.
Result<std::map<std::string, unsigned, std::less<>>> cubin_registers(std::span<const std::uint8_t> cubin,
                                                                     const std::string& name);

}  // namespace kymo::gpu
