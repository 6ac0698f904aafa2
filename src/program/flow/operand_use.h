// What the interrupted instruction and the one before it use, so that the registers recorded with a sample give the
// memory that they read and write, and the numbers that they compute with.
//
// A processor is interrupted before the oldest instruction that is not complete, or behind it: what took the time may
// be either of the two.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace kymo::program {

inline constexpr std::uint32_t kMostAround = 16;

struct OperandUse {
    static constexpr std::uint8_t kMost = 8;
    std::array<MemoryOperand, kMost> memory = {};
    std::uint8_t memory_operands = 0;
    // Behind these, what other instructions of the block use, as far as the registers at the sample give its address.
    std::uint8_t near_operands = 0;
    // Vector registers, by bit, that floating-point arithmetic in them reads, or has just written.
    std::uint32_t doubles = 0;
    std::uint32_t floats = 0;

    std::uint8_t all_operands() const { return memory_operands + near_operands; }
    bool is_any() const { return memory_operands != 0 || (doubles | floats) != 0; }
};

// Of the instruction at `address`, whose registers are those at the sample, and of the one before it in its block:
// of that only what does not depend on a register that it has changed. Nothing where no block holds the address.
// Cost: decodes kMostAround instructions on either side at most.
OperandUse operand_use(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, std::uint64_t address);

// `registers`: general registers by DWARF number. `bias`: of the image in the process. None: the segment's base or a
// vector register is part of the address, or a register is not among them.
std::optional<std::uint64_t> address_of(const MemoryOperand& operand, std::span<const std::uint64_t> registers,
                                        std::uint64_t bias);

}  // namespace kymo::program
