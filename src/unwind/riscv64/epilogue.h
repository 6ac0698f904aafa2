// RISC-V, 64 bits: the effects of an instruction on a frame. 4 bytes if the lowest two bits are set, otherwise 2
// (compressed). Encodings: The RISC-V Instruction Set Manual, volume I, chapters RV32I, RV64I and C.
#pragma once

#include "unwind/link_register/instruction.h"
#include "unwind/riscv64/registers.h"

#include <cstring>

namespace kymo::unwind::riscv64 {

using link_register::Effect;
using link_register::field;
using link_register::Instruction;
using link_register::signed_field;

inline constexpr unsigned kZero = 0;
inline constexpr unsigned kOtherLink =
    5;  // t0: calls of the routines that save registers leave their return address there

// A jump that leaves its return address in `link`, to where `target` points.
inline Instruction::Flow flow_of(unsigned link, unsigned target) {
    if (link != kZero) {
        return link == Numbers::kReturnAddress || link == kOtherLink ? Instruction::Flow::kCall
                                                                     : Instruction::Flow::kJump;
    }
    return target == Numbers::kReturnAddress ? Instruction::Flow::kReturn : Instruction::Flow::kJumpByRegister;
}

inline Instruction decode_whole(std::uint32_t code) {
    Instruction instruction;
    const unsigned result = field(code, 7, 5);
    const unsigned base = field(code, 15, 5);
    const unsigned function = field(code, 12, 3);
    const std::int64_t immediate = signed_field(code, 20, 12);
    Effect& effect = instruction.effects[0];
    switch (code & 0x7FU) {
        case 0x13:  // addi; other operations with an immediate
            effect = {function == 0 && base != kZero ? Effect::Kind::kMove : Effect::Kind::kLost, result, base,
                      immediate};
            break;
        case 0x03:  // ld; other loads
            effect = {function == 3 ? Effect::Kind::kLoad : Effect::Kind::kLost, result, base, immediate};
            break;
        case 0x23:  // sd; other stores change no register
            if (function == 3) {
                effect = {Effect::Kind::kStore, field(code, 20, 5), base,
                          signed_field(code, 25, 7) * 32 + field(code, 7, 5)};
            }
            break;
        case 0x6F:  // jal
            instruction.flow = result == kZero ? Instruction::Flow::kJump : flow_of(result, kZero);
            break;
        case 0x67:  // jalr
            instruction.flow = flow_of(result, base);
            break;
        case 0x17:  // auipc
        case 0x37:  // lui
        case 0x33:  // operations on registers
        case 0x3B:
        case 0x1B:
        case 0x2F:  // atomic
        case 0x73:  // control registers
            effect = {Effect::Kind::kLost, result, 0, 0};
            break;
        default:
            break;
    }
    return instruction;
}

// Bits of a compressed instruction, from the highest of the immediate to the lowest: {low bit in the code, bits,
// place}.
constexpr std::uint32_t piece(std::uint32_t code, unsigned low, unsigned bits, unsigned place) {
    return field(code, low, bits) << place;
}

// Quadrant 2: on the whole registers; words of the stack.
inline void decode_on_stack(std::uint32_t code, Instruction* instruction) {
    const unsigned number = field(code, 7, 5);
    const unsigned second = field(code, 2, 5);
    Effect& effect = instruction->effects[0];
    switch (field(code, 13, 3)) {
        case 3:  // c.ldsp
            effect = {Effect::Kind::kLoad, number, Numbers::kStackPointer,
                      piece(code, 2, 3, 6) | piece(code, 12, 1, 5) | piece(code, 5, 2, 3)};
            break;
        case 7:  // c.sdsp
            effect = {Effect::Kind::kStore, second, Numbers::kStackPointer,
                      piece(code, 7, 3, 6) | piece(code, 10, 3, 3)};
            break;
        case 4:
            if (second == kZero) {  // c.jr, c.jalr
                instruction->flow = flow_of(field(code, 12, 1) != 0 ? Numbers::kReturnAddress : kZero, number);
            } else {  // c.mv, c.add
                effect = {field(code, 12, 1) == 0 ? Effect::Kind::kMove : Effect::Kind::kLost, number, second, 0};
            }
            break;
        case 0:  // c.slli
        case 2:  // c.lwsp
            effect = {Effect::Kind::kLost, number, 0, 0};
            break;
        default:
            break;
    }
}

// Quadrants 0 and 1: of the registers x8–x15, if any; s0 is one of them.
inline void decode_short(std::uint32_t code, Instruction* instruction) {
    constexpr unsigned kFirstShort = 8;
    const unsigned function = field(code, 13, 3) | (code & 3U) << 3U;  // with the quadrant: 8 and up are of the first
    const unsigned number = field(code, 7, 5);
    const unsigned high = kFirstShort + field(code, 7, 3);
    const unsigned low = kFirstShort + field(code, 2, 3);
    Effect& effect = instruction->effects[0];
    const std::uint32_t at = piece(code, 5, 2, 6) | piece(code, 10, 3, 3);  // of c.ld and c.sd
    const std::int64_t immediate = signed_field(piece(code, 12, 1, 5) | field(code, 2, 5), 0, 6);
    switch (function) {
        case 0:  // c.addi4spn
            effect = {Effect::Kind::kMove, low, Numbers::kStackPointer,
                      piece(code, 7, 4, 6) | piece(code, 11, 2, 4) | piece(code, 5, 1, 3) | piece(code, 6, 1, 2)};
            break;
        case 3:  // c.ld
            effect = {Effect::Kind::kLoad, low, high, at};
            break;
        case 7:  // c.sd
            effect = {Effect::Kind::kStore, low, high, at};
            break;
        case 2:  // c.lw
            effect = {Effect::Kind::kLost, low, 0, 0};
            break;
        case 8:  // c.addi
            effect = {Effect::Kind::kMove, number, number, immediate};
            break;
        case 11:
            if (number == Numbers::kStackPointer) {  // c.addi16sp
                effect = {Effect::Kind::kMove, number, number,
                          signed_field(piece(code, 12, 1, 9) | piece(code, 3, 2, 7) | piece(code, 5, 1, 6) |
                                           piece(code, 2, 1, 5) | piece(code, 6, 1, 4),
                                       0, 10)};
            } else {  // c.lui
                effect = {Effect::Kind::kLost, number, 0, 0};
            }
            break;
        case 9:   // c.addiw
        case 10:  // c.li
            effect = {Effect::Kind::kLost, number, 0, 0};
            break;
        case 12:  // shifts and operations on x8–x15
            effect = {Effect::Kind::kLost, high, 0, 0};
            break;
        case 13:  // c.j
            instruction->flow = Instruction::Flow::kJump;
            break;
        default:
            break;
    }
}

inline Instruction decode(std::span<const std::uint8_t> bytes) {
    Instruction instruction;
    std::uint32_t code = 0;
    const std::size_t size = !bytes.empty() && (bytes[0] & 3U) == 3 ? 4 : 2;
    if (bytes.size() < size) {
        instruction.size = 0;
        return instruction;
    }
    std::memcpy(&code, bytes.data(), size);
    if (size == 4) {
        return decode_whole(code);
    }
    instruction.size = size;
    if ((code & 3U) == 2) {
        decode_on_stack(code, &instruction);
    } else {
        decode_short(code, &instruction);
    }
    return instruction;
}

// Whether `bytes` (those before a return address) end in a call, of either size.
inline bool ends_in_call(std::span<const std::uint8_t> bytes) {
    for (const std::size_t size : {std::size_t{4}, std::size_t{2}}) {
        if (bytes.size() >= size) {
            const Instruction last = decode(bytes.last(size));
            if (last.size == size && last.flow == Instruction::Flow::kCall) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace kymo::unwind::riscv64
