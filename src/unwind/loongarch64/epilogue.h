// LoongArch, 64 bits: the effects of an instruction on a frame. All are 4 bytes: bits 0–4 the result, 5–9 the
// first operand. Encodings: LoongArch Reference Manual, volume 1, appendix B.
#pragma once

#include "unwind/link_register/instruction.h"
#include "unwind/loongarch64/registers.h"

#include <cstring>

namespace kymo::unwind::loongarch64 {

using link_register::Effect;
using link_register::field;
using link_register::Instruction;
using link_register::signed_field;

inline constexpr unsigned kZero = 0;

// Operations with a 12-bit immediate, by bits 22–31.
enum TenBits : std::uint32_t { kAddiD = 0x00B, kLdD = 0x0A3, kStD = 0x0A7 };
// Jumps, by bits 26–31; from the first on all are branches.
enum SixBits : std::uint32_t { kFirstBranch = 0x10, kJirl = 0x13, kB = 0x14, kBl = 0x15, kLastBranch = 0x1B };

inline Instruction::Flow flow_of(std::uint32_t code) {
    switch (code >> 26U) {
        case kB:
            return Instruction::Flow::kJump;
        case kBl:
            return Instruction::Flow::kCall;
        case kJirl:
            if (field(code, 0, 5) != kZero) {
                return Instruction::Flow::kCall;
            }
            return field(code, 5, 5) == Numbers::kReturnAddress ? Instruction::Flow::kReturn
                                                                : Instruction::Flow::kJumpByRegister;
        default:
            return Instruction::Flow::kNext;
    }
}

// False: branches, stores, floating-point and vector instructions.
inline bool changes_general_register(std::uint32_t code) {
    const std::uint32_t operation = code >> 22U;
    const std::uint32_t top = code >> 24U;
    const bool is_branch = code >> 26U >= kFirstBranch && code >> 26U <= kLastBranch;
    const bool is_memory = operation >= 0x0A0 && operation <= 0x0AF;
    const bool is_general_load = operation <= 0x0A3 || (operation >= 0x0A8 && operation <= 0x0AA);
    const bool is_vector = top == 0x01 || (top >= 0x08 && top <= 0x0D) || (top >= 0x2C && top <= 0x33) || top >= 0x70;
    return !is_branch && (!is_memory || is_general_load) && !is_vector && top != 0x25;  // 0x25: stptr.w
}

inline Effect effect_of(std::uint32_t code) {
    const unsigned result = field(code, 0, 5);
    const unsigned base = field(code, 5, 5);
    switch (code >> 22U) {
        case kAddiD:
            return {Effect::Kind::kMove, result, base, signed_field(code, 10, 12)};
        case kLdD:
            return {Effect::Kind::kLoad, result, base, signed_field(code, 10, 12)};
        case kStD:
            return {Effect::Kind::kStore, result, base, signed_field(code, 10, 12)};
        default:
            break;
    }
    switch (code >> 24U) {  // with a 14-bit immediate, of words
        case 0x26:          // ldptr.d
            return {Effect::Kind::kLoad, result, base, signed_field(code, 10, 14) * 4};
        case 0x27:  // stptr.d
            return {Effect::Kind::kStore, result, base, signed_field(code, 10, 14) * 4};
        default:
            break;
    }
    if ((code & 0xFFFFFC00U) == 0x00150000U) {  // or rd, rj, $zero: a copy
        return {Effect::Kind::kMove, result, base, 0};
    }
    return {changes_general_register(code) ? Effect::Kind::kLost : Effect::Kind::kNone, result, 0, 0};
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
    instruction.effects[0] = effect_of(code);
    return instruction;
}

// Whether `bytes` (those before a return address) end in a call.
inline bool ends_in_call(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= 4 && decode(bytes.last(4)).flow == Instruction::Flow::kCall;
}

}  // namespace kymo::unwind::loongarch64
