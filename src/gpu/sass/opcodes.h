// Names of machine instructions of compute capability 7.5 to 9.0, by the low nine bits of their first word; the
// three bits above select the operands' sources and do not change the instruction.
//
// Source: what ptxas 13.0 makes of one PTX instruction after another, and the open compilers' encoders (Mesa's
// NAK).
#pragma once

#include <cstdint>
#include <string_view>

namespace kymo::gpu::sass {

// Empty: not known.
std::string_view opcode_name(std::uint16_t opcode);

}  // namespace kymo::gpu::sass
