// The machine-like instructions that represent a PTX operation in the list for the models: opcodes by the names
// that tracers print, since latency, pipe and memory behaviour are derived from them.
//
// One PTX operation becomes what ptxas makes of it on Ampere, in number and kind: a 64-bit addition two 32-bit
// ones, a division its sequence. There is no scheduling, spilling, or move to the uniform data path.
//
// Contract: pure. Every operation that can be executed has an expansion.
#pragma once

#include "gpu/ptx/select/draft.h"

#include <string>
#include <vector>

namespace kymo::gpu::ptx {

// The opcodes, in order; the first reads the sources, each later one the result of the one before, the last writes
// the result. At most one of them has addresses: the memory operation itself.
std::vector<std::string> machine_opcodes(const Draft& draft, const std::vector<std::string_view>& modifiers);

// Of matrix operations.
std::vector<std::string> matrix_opcodes(const Draft& draft);

}  // namespace kymo::gpu::ptx
