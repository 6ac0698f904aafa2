// aarch64: what an instruction does besides directing control.
#pragma once

#include "program/flow/instruction.h"

#include <cstdint>

namespace kymo::program::aarch64 {

constexpr std::uint8_t kStackPointer = 31;  // DWARF number; in most instructions 31 is the zero register instead
constexpr unsigned kLinkRegister = 30;
// What a callee may change (AAPCS64, 6.1.1): x0–x18, x30.
constexpr std::uint32_t kCallerSaved = 0x4007'ffff;

// A register field whose 31 is the zero register.
constexpr std::uint8_t or_zero(std::uint32_t number) {
    return number == kStackPointer ? kNoRegister : static_cast<std::uint8_t>(number);
}
constexpr std::uint32_t bit_of(std::uint8_t reg) {
    return reg == kNoRegister ? 0U : 1U << reg;
}

// `word`: its kind has been set. Instructions that are not known in detail (SVE, SME, some of the newer
// extensions) are recorded as changing everything.
void set_effect(std::uint32_t word, std::uint64_t address, Instruction* out);

// The same of the group of loads and stores (bit 27 set, bit 25 clear).
void set_memory_effect(std::uint32_t word, std::uint64_t address, Instruction* out);

}  // namespace kymo::program::aarch64
