// aarch64: what an instruction does to a frame. All are 4 bytes. Encodings: Arm Architecture Reference Manual,
// chapter C4.
#pragma once

#include "unwind/aarch64/registers.h"
#include "unwind/link_register/instruction.h"

#include <cstring>

namespace kymo::unwind::aarch64 {

using link_register::Effect;
using link_register::field;
using link_register::Instruction;
using link_register::signed_field;

// Register 31 as an operand that is not an address is the zero register.
inline Effect on_word(Effect::Kind kind, unsigned number, unsigned base, std::int64_t offset) {
    const bool is_zero = number == Numbers::kStackPointer;
    return {is_zero ? Effect::Kind::kNone : kind, number, base, offset};
}

// How a load or store addresses memory.
enum class Addressing : std::uint8_t { kOffset, kBefore, kAfter };  // writes the base back before, after

// The effects of a load or store of one or two registers of `size` bytes; only 8-byte ones of general registers
// have more effects than changing a register.
inline void set_transfer(Instruction* instruction, bool is_load, bool is_general, Addressing addressing,
                         unsigned base, std::int64_t offset, std::initializer_list<unsigned> numbers) {
    std::size_t next = 0;
    const Effect write_back{Effect::Kind::kMove, base, base, offset};
    if (addressing == Addressing::kBefore) {
        instruction->effects[next++] = write_back;
    }
    std::int64_t at = addressing == Addressing::kOffset ? offset : 0;
    for (const unsigned number : numbers) {
        if (is_general) {
            instruction->effects[next++] =
                on_word(is_load ? Effect::Kind::kLoad : Effect::Kind::kStore, number, base, at);
            at += 8;
        }
    }
    if (addressing == Addressing::kAfter) {
        instruction->effects[next++] = write_back;
    }
}

// ldp, stp and their kin: bits 30–31 the size, 26 vectors, 23–24 the addressing, 22 load, 15–21 the offset in units
// of the size, 10–14, 5–9 and 0–4 the second register, the base and the first.
inline void decode_pair(std::uint32_t code, Instruction* instruction) {
    const bool is_vector = field(code, 26, 1) != 0;
    const unsigned size = field(code, 30, 2);
    const std::int64_t unit = is_vector ? std::int64_t{4} << size : size == 2 ? 8 : 4;
    const unsigned mode = field(code, 23, 2);
    set_transfer(instruction, field(code, 22, 1) != 0, !is_vector && size == 2,
                 mode == 1   ? Addressing::kAfter
                 : mode == 3 ? Addressing::kBefore
                             : Addressing::kOffset,
                 field(code, 5, 5), signed_field(code, 15, 7) * unit, {field(code, 0, 5), field(code, 10, 5)});
}

// ldr and str: bits 30–31 the size, 26 vectors, 22–23 what is done, 5–9 the base, 0–4 the register; with bit 24 an
// offset of 12 bits in units of the size, else one of 9 bits and in bits 10–11 the addressing.
inline void decode_single(std::uint32_t code, Instruction* instruction) {
    const bool is_vector = field(code, 26, 1) != 0;
    const unsigned operation = field(code, 22, 2);
    const unsigned size = field(code, 30, 2) + (is_vector && operation >= 2 ? 4 : 0);
    const bool has_wide_offset = field(code, 24, 1) != 0;
    const unsigned mode = has_wide_offset ? 0 : field(code, 10, 2);
    if (!has_wide_offset && (field(code, 21, 1) != 0 || mode == 2)) {  // by a register; atomic; as if unprivileged
        instruction->effects[0] = on_word(Effect::Kind::kLost, field(code, 0, 5), 0, 0);
        return;
    }
    set_transfer(instruction, operation == 1, !is_vector && size == 3 && operation < 2,
                 mode == 1   ? Addressing::kAfter
                 : mode == 3 ? Addressing::kBefore
                             : Addressing::kOffset,
                 field(code, 5, 5),
                 has_wide_offset ? std::int64_t{field(code, 10, 12)} << size : signed_field(code, 12, 9),
                 {field(code, 0, 5)});
}

// add and sub of an immediate: bits 30 subtracts, 22 shifts by 12, 10–21 the immediate. Register 31 is the stack
// pointer.
inline Effect add_effect(std::uint32_t code) {
    const std::int64_t value = std::int64_t{field(code, 10, 12)} << (field(code, 22, 1) != 0 ? 12U : 0U);
    return {Effect::Kind::kMove, field(code, 0, 5), field(code, 5, 5), field(code, 30, 1) != 0 ? -value : value};
}

inline Instruction::Flow flow_of(std::uint32_t code) {
    if ((code & 0x7C000000U) == 0x14000000U) {  // b, bl
        return code >> 31U != 0 ? Instruction::Flow::kCall : Instruction::Flow::kJump;
    }
    if (code >> 25U != 0x6B) {  // by a register: br, blr, ret and those that authenticate
        return Instruction::Flow::kNext;
    }
    switch (field(code, 21, 2)) {
        case 0:
            return Instruction::Flow::kJumpByRegister;
        case 1:
            return Instruction::Flow::kCall;
        case 2:
            return field(code, 5, 5) == Numbers::kReturnAddress || field(code, 11, 1) != 0
                       ? Instruction::Flow::kReturn
                       : Instruction::Flow::kJumpByRegister;
        default:
            return Instruction::Flow::kJumpByRegister;
    }
}

inline Instruction decode(std::span<const std::uint8_t> bytes) {
    std::uint32_t code = 0;
    Instruction instruction;
    if (bytes.size() < sizeof(code)) {
        instruction.size = 0;
        return instruction;
    }
    std::memcpy(&code, bytes.data(), sizeof(code));
    instruction.flow = flow_of(code);
    const bool is_data_processing = field(code, 26, 3) == 4 || field(code, 25, 3) == 5;
    if ((code & 0xBF800000U) == 0x91000000U) {
        instruction.effects[0] = add_effect(code);
    } else if (field(code, 27, 3) == 5 && field(code, 25, 1) == 0) {
        decode_pair(code, &instruction);
    } else if (field(code, 27, 3) == 7 && field(code, 25, 1) == 0) {
        decode_single(code, &instruction);
    } else if ((code & 0xFFE0FFE0U) == 0xAA0003E0U) {  // orr rd, xzr, rm: a copy, except of the zero register
        const unsigned from = field(code, 16, 5);
        const bool is_zero = from == Numbers::kStackPointer;
        instruction.effects[0] =
            on_word(is_zero ? Effect::Kind::kLost : Effect::Kind::kMove, field(code, 0, 5), from, 0);
    } else if (is_data_processing) {
        // Of these only additions with an extended register and logical immediates write the stack pointer; sub sp,
        // sp, x12 makes room for large frames.
        const bool writes_sp =
            (code & 0x3FE00000U) == 0x0B200000U || ((code & 0x1F800000U) == 0x12000000U && field(code, 29, 2) != 3);
        instruction.effects[0] = writes_sp ? Effect{Effect::Kind::kLost, field(code, 0, 5), 0, 0}
                                           : on_word(Effect::Kind::kLost, field(code, 0, 5), 0, 0);
    }
    return instruction;
}

// Whether `bytes` (those before a return address) end in a call.
inline bool ends_in_call(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= 4 && decode(bytes.last(4)).flow == Instruction::Flow::kCall;
}

}  // namespace kymo::unwind::aarch64
