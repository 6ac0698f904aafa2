// Sunway sw_64: the effects of an instruction on a frame.
//
// All are 4 bytes. Bits 26–31 are the operation; of loads and stores, bits 21–25 the register, 16–20 the base and
// 0–15 the displacement, signed. Source: the port of QEMU, target/sw64/translate.c, and Linux's
// arch/sw_64/include/asm/insn.h.
#pragma once

#include "unwind/link_register/instruction.h"
#include "unwind/sw_64/registers.h"

#include <cstring>

namespace kymo::unwind::sw_64 {

enum Operation : std::uint32_t {
    kCall = 0x01,  // call $ra, ($rb)
    kRet = 0x02,   // ret $31, ($26)
    kJmp = 0x03,   // jmp $31, ($rb)
    kBr = 0x04,    // br $ra, displacement; with a register other than $31 it reads its own address
    kBsr = 0x05,   // bsr $26, displacement
    kAlu = 0x10,   // the result in bits 0–4, as of the next three
    kAluThree = 0x11,
    kAluImmediate = 0x12,
    kAluThreeImmediate = 0x13,
    kFirstLoad = 0x20,  // ldbu, ldhu, ldw, ldl, ldl_u
    kLdl = 0x23,
    kLastLoad = 0x24,
    kStl = 0x2B,
    kLdi = 0x3E,   // $ra = $rb + displacement
    kLdih = 0x3F,  // $ra = $rb + displacement × 65536
};

inline constexpr unsigned kZero = 31;

// bis $31, $rb, $rc and bis $ra, $31, $rc: a copy.
inline link_register::Effect alu_effect(std::uint32_t code) {
    using link_register::Effect;
    using link_register::field;
    constexpr std::uint32_t kBis = 0x3A;
    const unsigned left = field(code, 21, 5);
    const unsigned right = field(code, 16, 5);
    const unsigned result = field(code, 0, 5);
    const bool is_copy =
        code >> 26U == kAlu && field(code, 5, 11) == kBis && (left == kZero || right == kZero) && left != right;
    return {is_copy ? Effect::Kind::kMove : Effect::Kind::kLost, result, left == kZero ? right : left, 0};
}

inline link_register::Instruction decode(std::span<const std::uint8_t> bytes) {
    using link_register::Effect;
    using link_register::Instruction;
    std::uint32_t code = 0;
    Instruction instruction;
    if (bytes.size() < sizeof(code)) {
        instruction.size = 0;
        return instruction;
    }
    std::memcpy(&code, bytes.data(), sizeof(code));
    const unsigned number = link_register::field(code, 21, 5);
    const unsigned base = link_register::field(code, 16, 5);
    const std::int64_t displacement = link_register::signed_field(code, 0, 16);
    const auto effect = [&](Effect::Kind kind, std::int64_t offset) {
        instruction.effects[0] = {kind, number, base, offset};
    };
    const std::uint32_t operation = code >> 26U;
    switch (operation) {
        case kCall:
        case kBsr:
            instruction.flow = Instruction::Flow::kCall;
            break;
        case kRet:
            instruction.flow =
                base == Numbers::kReturnAddress ? Instruction::Flow::kReturn : Instruction::Flow::kJumpByRegister;
            break;
        case kJmp:
            instruction.flow = Instruction::Flow::kJumpByRegister;
            break;
        case kBr:
            instruction.flow = number == kZero ? Instruction::Flow::kJump : Instruction::Flow::kNext;
            effect(Effect::Kind::kLost, 0);
            break;
        case kAlu:
        case kAluThree:
        case kAluImmediate:
        case kAluThreeImmediate:
            instruction.effects[0] = alu_effect(code);
            break;
        case kLdi:
            effect(Effect::Kind::kMove, displacement);
            break;
        case kLdih:
            effect(Effect::Kind::kMove, displacement * 65536);
            break;
        case kLdl:
            effect(Effect::Kind::kLoad, displacement);
            break;
        case kStl:
            effect(Effect::Kind::kStore, displacement);
            break;
        default:
            if (operation >= kFirstLoad && operation <= kLastLoad) {
                effect(Effect::Kind::kLost, 0);
            }
            break;
    }
    return instruction;
}

// Whether `bytes` (those before a return address) end in a call.
inline bool ends_in_call(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= 4 && decode(bytes.last(4)).flow == link_register::Instruction::Flow::kCall;
}

}  // namespace kymo::unwind::sw_64
