// The machine code of a cubin's functions.
//
// Contract: the bytes must outlive nothing and may be anything: no access leaves them, and a function has at most
// 2^20 instructions. Errors: kMalformed, naming `name`.
#pragma once

#include "base/result.h"
#include "gpu/sass/instruction.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kymo::gpu::sass {

struct Code {
    unsigned registers = 0;  // per thread
    bool has_lines = false;  // of the PTX
    std::vector<Instruction> instructions;
};

// By the functions' names.
using CubinCode = std::map<std::string, Code, std::less<>>;

Result<CubinCode> read_code(std::span<const std::uint8_t> cubin, const std::string& name);

}  // namespace kymo::gpu::sass
