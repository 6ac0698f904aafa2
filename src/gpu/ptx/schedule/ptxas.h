// NVIDIA's assembler, if it is installed: a PTX text's machine code with the lines that it comes from.
#pragma once

#include "gpu/sass/code.h"

#include <filesystem>

namespace kymo::gpu::ptx {

// KYMO_PTXAS, or `ptxas` in PATH, or in CUDA's usual folder; empty: not found.
std::filesystem::path find_ptxas();

// A child process of a second or so, working in a folder of its own under TMPDIR. Errors: kNotFound (no ptxas),
// kUnsupported (it refuses the text; names its first message), kNoSpace, kMalformed.
Result<sass::CubinCode> assemble(const std::string& ptx, unsigned capability);

// The same of a cubin in a file. Errors: kNotFound, kMalformed.
Result<sass::CubinCode> machine_code_in(const std::filesystem::path& cubin);

}  // namespace kymo::gpu::ptx
