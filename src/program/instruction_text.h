// Machine code as text, one instruction at a time, of every architecture with a decoder: x86-64 as Zydis writes it
// (Intel syntax); the others as the instruction's bits, and behind them in words where it sends control.
//
// Plain value; any thread may use one. Never reads outside the bytes it is given.
#pragma once

#include "program/flow/decode.h"

#include <cstdint>
#include <span>
#include <string>

namespace kymo::program {

struct InstructionText {
    const Decoder* decoder = nullptr;  // null: this architecture has none

    // `machine`: ELF machine number.
    static InstructionText of(std::uint16_t machine) { return {decoder_for(machine)}; }

    // Bytes of the instruction that the bytes begin with; 0: none.
    std::size_t length(std::span<const std::uint8_t> bytes) const;

    // Empty where the bytes begin with no instruction. `address`: of the first byte.
    std::string text(std::span<const std::uint8_t> bytes, std::uint64_t address) const;
};

}  // namespace kymo::program
