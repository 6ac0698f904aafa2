// sw_64: what an instruction does besides directing control.
#pragma once

#include "program/flow/instruction.h"

#include <cstdint>

namespace kymo::program::sw_64 {

// `word`: its kind has been set. Instructions that are not known in detail are recorded as changing everything.
void set_effect(std::uint32_t word, Instruction* out);

// Major opcodes that direct control (bits 31…26).
enum Opcode : std::uint32_t {
    kSystemCall = 0x00,
    kCall = 0x01,  // through a register, as ret and jmp
    kReturn = 0x02,
    kJump = 0x03,
    kBranch = 0x04,      // br
    kBranchCall = 0x05,  // bsr
    kMiscellaneous = 0x06,
    kPrivilegedReturn = 0x07,
    kFirstConditional = 0x30,  // beq … blbs, fbeq … fbge
    kLastConditional = 0x3d,
};
constexpr std::uint32_t kHalt = 0x18000080;

}  // namespace kymo::program::sw_64
