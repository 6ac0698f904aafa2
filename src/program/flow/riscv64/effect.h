// RISC-V: the fields of its instructions, and what they do besides directing control.
#pragma once

#include "program/flow/instruction.h"
#include "program/flow/word.h"

#include <cstdint>

namespace kymo::program::riscv64 {

// Major opcodes, bits 6…0.
enum Opcode : std::uint32_t {
    kLoad = 0x03,
    kLoadFloat = 0x07,
    kFence = 0x0f,
    kImmediate = 0x13,
    kAuipc = 0x17,
    kImmediate32 = 0x1b,
    kStore = 0x23,
    kStoreFloat = 0x27,
    kAtomic = 0x2f,
    kRegisters = 0x33,
    kLui = 0x37,
    kRegisters32 = 0x3b,
    kFloat = 0x53,
    kBranch = 0x63,
    kJalr = 0x67,
    kJal = 0x6f,
    kSystem = 0x73,
};
constexpr std::uint32_t kCall = 0x0000'0073;  // ecall
constexpr std::uint32_t kBreak = 0x0010'0073;
constexpr std::uint32_t kSupervisorReturn = 0x1020'0073;
constexpr std::uint32_t kMachineReturn = 0x3020'0073;

// Compressed ones by bits 1…0, then 15…13.
enum ShortOpcode : std::uint32_t {
    kShortStackAddress = 0 << 3 | 0,  // c.addi4spn
    kShortLoadDouble = 0 << 3 | 1,    // floating point
    kShortLoadWord = 0 << 3 | 2,
    kShortLoad = 0 << 3 | 3,
    kShortStoreDouble = 0 << 3 | 5,
    kShortStoreWord = 0 << 3 | 6,
    kShortStore = 0 << 3 | 7,
    kShortAdd = 1 << 3 | 0,    // c.addi, c.nop
    kShortAdd32 = 1 << 3 | 1,  // c.addiw
    kShortConstant = 1 << 3 | 2,
    kShortUpper = 1 << 3 | 3,  // c.lui, c.addi16sp
    kShortArithmetic = 1 << 3 | 4,
    kShortJump = 1 << 3 | 5,
    kShortBranchZero = 1 << 3 | 6,
    kShortBranchNotZero = 1 << 3 | 7,
    kShortShift = 2 << 3 | 0,  // c.slli
    kShortLoadDoubleStack = 2 << 3 | 1,
    kShortLoadWordStack = 2 << 3 | 2,
    kShortLoadStack = 2 << 3 | 3,
    kShortRegisters = 2 << 3 | 4,  // c.jr, c.mv, c.jalr, c.add
    kShortStoreDoubleStack = 2 << 3 | 5,
    kShortStoreWordStack = 2 << 3 | 6,
    kShortStoreStack = 2 << 3 | 7,
};

constexpr std::int64_t branch_offset(std::uint32_t word) {
    return sign_extended(
        field(word, 31, 1) << 12U | field(word, 7, 1) << 11U | field(word, 25, 6) << 5U | field(word, 8, 4) << 1U,
        13);
}
constexpr std::int64_t jump_offset(std::uint32_t word) {
    return sign_extended(
        field(word, 31, 1) << 20U | field(word, 12, 8) << 12U | field(word, 20, 1) << 11U | field(word, 21, 10) << 1U,
        21);
}
constexpr std::int64_t short_jump_offset(std::uint32_t half) {
    return sign_extended(field(half, 12, 1) << 11U | field(half, 8, 1) << 10U | field(half, 9, 2) << 8U |
                             field(half, 6, 1) << 7U | field(half, 7, 1) << 6U | field(half, 2, 1) << 5U |
                             field(half, 11, 1) << 4U | field(half, 3, 3) << 1U,
                         12);
}
constexpr std::int64_t short_branch_offset(std::uint32_t half) {
    return sign_extended(field(half, 12, 1) << 8U | field(half, 5, 2) << 6U | field(half, 2, 1) << 5U |
                             field(half, 10, 2) << 3U | field(half, 3, 2) << 1U,
                         9);
}

// Of an instruction whose kind is set. Those that are not known in detail (vectors, many extensions) are recorded
// as changing everything.
void set_long_effect(std::uint32_t word, std::uint64_t address, Instruction* out);
void set_short_effect(std::uint32_t half, Instruction* out);

}  // namespace kymo::program::riscv64
