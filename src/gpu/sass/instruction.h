// One machine instruction of 128 bits, as far as its time is concerned: its opcode, its predicate, its jump
// target, and when it may issue according to its control bits.
//
// Contract: pure; any 16 bytes decode to something. Layout (bit 0 is the first byte's lowest): opcode 0–11,
// predicate 12–14 and its sense 15, an access's width 73–75, a jump's distance 34–81 (from compute capability 9.0
// on its low eight bits are 16–23), stall 105–108, barriers 110–121.
#pragma once

#include "gpu/trace/kernel.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace kymo::gpu::sass {

inline constexpr std::size_t kInstructionBytes = 16;
inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

// How control continues behind it.
enum class Way : std::uint8_t { kNext, kJump, kEnd, kUnknown };  // kUnknown: to the address in a register

struct Instruction {
    std::uint64_t pc = 0;    // bytes from the function's beginning
    std::uint32_t line = 0;  // of the PTX; 0: none
    Way way = Way::kNext;
    bool guarded = false;             // by a predicate, so that it may do nothing
    std::uint64_t target = kNowhere;  // kJump
    IssueControl control;
    std::string opcode;  // as the binary utilities print it, with the suffixes that matter: "LDG.E.64"
};

Instruction decode_instruction(std::span<const std::uint8_t, kInstructionBytes> bytes, std::uint64_t pc,
                               unsigned capability);

}  // namespace kymo::gpu::sass
