// LoongArch, 64 bits: what an instruction does besides directing control.
#pragma once

#include "program/flow/instruction.h"
#include "program/flow/word.h"

#include <cstdint>

namespace kymo::program::loongarch64 {

// Of branches, bits 31…26.
enum BranchOpcode : std::uint32_t {
    kEqualZero = 0x10,
    kNotEqualZero = 0x11,
    kFloatCondition = 0x12,  // bceqz, bcnez
    kIndirect = 0x13,        // jirl
    kJump = 0x14,            // b
    kCall = 0x15,            // bl
    kEqual = 0x16,           // beq, then bne, blt, bge, bltu, bgeu
    kBelow = 0x1a,
    kAboveOrEqual = 0x1b,
};
constexpr std::uint32_t kReturnAddress = 1;  // register

// Of an instruction whose kind is set. Those that are not known in detail (vectors, atomic operations) are
// recorded as changing everything.
void set_effect(std::uint32_t word, std::uint64_t address, Instruction* out);

}  // namespace kymo::program::loongarch64
