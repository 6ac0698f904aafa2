// Encodings: The RISC-V Instruction Set Manual, volume I (20191213).
#include "program/flow/riscv64/effect.h"

namespace kymo::program::riscv64 {
namespace {

// What a callee may change (RISC-V ELF psABI, integer calling convention): ra, t0–t2, a0–a7, t3–t6.
constexpr std::uint32_t kCallerSaved = 0xf003'fce2;
constexpr std::uint8_t kStackPointer = 2;

std::uint8_t or_zero(std::uint32_t number) {
    return number == 0 ? kNoRegister : static_cast<std::uint8_t>(number);
}

std::uint32_t bit_of(std::uint8_t reg) {
    return reg == kNoRegister ? 0U : 1U << reg;
}

// The eight registers that compressed fields of three bits name: x8–x15.
std::uint8_t near_register(std::uint32_t number) {
    return static_cast<std::uint8_t>(8 + number);
}

void write(std::uint8_t reg, Instruction* out) {
    out->destination = reg;
    out->writes |= bit_of(reg);
}

void set_sum(std::uint8_t destination, std::uint8_t source, std::uint8_t source2, std::int64_t constant,
             Instruction* out) {
    write(destination, out);
    out->reads |= bit_of(source) | bit_of(source2);
    out->operation = Operation::kSum;
    out->source = source;
    out->source2 = source2;
    out->constant = constant;
}

// Where only what is read and written is known.
void set_other(std::uint8_t destination, std::uint8_t source, std::uint8_t source2, Instruction* out) {
    write(destination, out);
    out->reads |= bit_of(source) | bit_of(source2);
}

struct Access {
    std::uint8_t reg;
    std::uint8_t base;
    std::uint32_t width;
    std::int64_t displacement;
    bool is_written;
    bool is_float;
    bool is_signed;
};

void set_access(const Access& access, Instruction* out) {
    MemoryOperand& operand = out->memory[out->memory_operands++];
    operand.base = access.base;
    operand.width = static_cast<std::uint16_t>(access.width);
    operand.is_read = !access.is_written;
    operand.is_written = access.is_written;
    operand.displacement = access.displacement;
    out->reads |= bit_of(access.base) | (access.is_written && !access.is_float ? bit_of(access.reg) : 0U);
    out->writes_memory = access.is_written;
    if (access.is_written) {
        return;
    }
    out->writes_other = access.is_float;
    if (!access.is_float) {
        write(access.reg, out);
        out->operation = Operation::kLoad;
        out->bits = static_cast<std::uint8_t>(8 * access.width);
        out->is_signed = access.is_signed;
    }
}

void set_shift(std::uint8_t destination, std::uint8_t source, std::int64_t left, Instruction* out) {
    set_other(destination, source, kNoRegister, out);
    out->operation = Operation::kShift;
    out->source = source;
    out->constant = left;
}

void set_shift_left(std::uint8_t destination, std::uint8_t source, std::uint32_t by, Instruction* out) {
    if (by <= 6) {
        set_sum(destination, kNoRegister, source, 0, out);
        out->scale = static_cast<std::uint8_t>(1U << by);
    } else {
        set_shift(destination, source, by, out);
    }
}

void set_immediate(std::uint32_t word, std::uint8_t rd, std::uint8_t rs1, Instruction* out) {
    const std::int64_t value = signed_field(word, 20, 12);
    switch (field(word, 12, 3)) {
        case 0:  // addi
            set_sum(rd, rs1, kNoRegister, value, out);
            return;
        case 1:  // slli, and the bit instructions beside it
            if (field(word, 26, 6) == 0) {
                set_shift_left(rd, rs1, field(word, 20, 6), out);
                return;
            }
            break;
        case 5:  // srli
            if (field(word, 26, 6) == 0) {
                set_shift(rd, rs1, -static_cast<std::int64_t>(field(word, 20, 6)), out);
                return;
            }
            break;
        case 7:  // andi
            if (value >= 0) {
                set_other(rd, rs1, kNoRegister, out);
                out->operation = Operation::kMask;
                out->source = rs1;
                out->bits = 64;
                out->constant = value;
                return;
            }
            break;
        default:
            break;
    }
    set_other(rd, rs1, kNoRegister, out);
}

void set_registers(std::uint32_t word, std::uint8_t rd, std::uint8_t rs1, std::uint8_t rs2, Instruction* out) {
    const std::uint32_t shift = field(word, 12, 3);
    if (field(word, 25, 7) == 0 && shift == 0) {  // add
        set_sum(rd, rs1, rs2, 0, out);
    } else if (field(word, 25, 7) == 0x10 && (shift & 1U) == 0 && shift != 0) {  // sh1add, sh2add, sh3add (Zba)
        set_sum(rd, rs2, rs1, 0, out);
        out->scale = static_cast<std::uint8_t>(1U << (shift / 2));
    } else {
        set_other(rd, rs1, rs2, out);
    }
}

// A branch compares its two registers itself.
void set_branch(std::uint32_t word, std::uint8_t rs1, std::uint8_t rs2, Instruction* out) {
    out->reads = bit_of(rs1) | bit_of(rs2);
    const std::uint32_t which = field(word, 12, 3);
    if (which < 6 || (rs1 == kNoRegister && rs2 == kNoRegister)) {
        return;
    }
    // bltu a, b: a below b, and so b above a; what is compared is to be a register.
    const bool is_less = which == 6;
    out->operation = Operation::kCompare;
    out->bits = 64;
    out->source = rs1 != kNoRegister ? rs1 : rs2;
    out->source2 = rs1 != kNoRegister ? rs2 : kNoRegister;
    const bool is_swapped = rs1 == kNoRegister;
    out->condition = is_swapped ? (is_less ? Condition::kAbove : Condition::kBelowOrEqual)
                                : (is_less ? Condition::kBelow : Condition::kAboveOrEqual);
}

void set_call(Instruction* out) {
    if (out->kind == InstructionKind::kCall || out->kind == InstructionKind::kIndirectCall) {
        out->writes |= kCallerSaved;
        out->writes_memory = true;
    }
}

void set_atomic(std::uint32_t word, std::uint8_t rd, std::uint8_t rs1, std::uint8_t rs2, Instruction* out) {
    constexpr std::uint32_t kSwap = 1;
    constexpr std::uint32_t kLoadReserved = 2;
    constexpr std::uint32_t kStoreConditional = 3;
    const std::uint32_t which = field(word, 27, 5);
    MemoryOperand& operand = out->memory[out->memory_operands++];
    operand.base = rs1;
    operand.width = static_cast<std::uint16_t>(1U << (field(word, 12, 3) & 3U));
    operand.is_read = which != kStoreConditional;
    operand.is_written = which != kLoadReserved;
    set_other(rd, rs1, rs2, out);
    out->writes_memory = operand.is_written;
    out->is_try = which == kSwap;
}

void set_system(std::uint32_t word, std::uint8_t rd, std::uint8_t rs1, Instruction* out) {
    if (word == kCall) {
        out->writes = kCallerSaved;
        out->writes_memory = true;
        return;
    }
    const bool is_register = field(word, 12, 3) != 0;
    if (is_register) {
        set_other(rd, field(word, 14, 1) != 0 ? kNoRegister : rs1, kNoRegister, out);
        out->writes_other = field(word, 15, 5) != 0;
    }
}

}  // namespace

void set_long_effect(std::uint32_t word, std::uint64_t address, Instruction* out) {
    const std::uint8_t rd = or_zero(field(word, 7, 5));
    const std::uint8_t rs1 = or_zero(field(word, 15, 5));
    const std::uint8_t rs2 = or_zero(field(word, 20, 5));
    const std::uint32_t width = field(word, 12, 3);
    const std::int64_t upper = signed_field(word, 12, 20) * 4096;
    switch (field(word, 0, 7)) {
        case kLoad:
            set_access({rd, rs1, 1U << (width & 3U), signed_field(word, 20, 12), false, false, (width & 4U) == 0},
                       out);
            return;
        case kStore:
            set_access({rs2, rs1, 1U << (width & 3U), sign_extended(field(word, 25, 7) << 5U | field(word, 7, 5), 12),
                        true, false, false},
                       out);
            return;
        case kLoadFloat:
        case kStoreFloat:
            if (width == 0 || width > 4) {
                set_unknown_effect(out);  // vectors
                return;
            }
            set_access(
                {kNoRegister, rs1, 1U << width,
                 field(word, 0, 7) == kLoadFloat ? signed_field(word, 20, 12)
                                                 : sign_extended(field(word, 25, 7) << 5U | field(word, 7, 5), 12),
                 field(word, 0, 7) == kStoreFloat, true, false},
                out);
            return;
        case kFence:
            out->is_pause = word == 0x0100'000f;  // pause (Zihintpause)
            return;
        case kImmediate:
            set_immediate(word, rd, rs1, out);
            return;
        case kAuipc:
            set_sum(rd, kNoRegister, kNoRegister,
                    static_cast<std::int64_t>(address + static_cast<std::uint64_t>(upper)), out);
            return;
        case kLui:
            set_sum(rd, kNoRegister, kNoRegister, upper, out);
            return;
        case kImmediate32:
            set_other(rd, rs1, kNoRegister, out);
            if (width == 0 && signed_field(word, 20, 12) == 0) {  // sext.w
                out->operation = Operation::kSignExtend;
                out->source = rs1;
                out->bits = 32;
            }
            return;
        case kRegisters:
            set_registers(word, rd, rs1, rs2, out);
            return;
        case kRegisters32:
            set_other(rd, rs1, rs2, out);
            return;
        case kAtomic:
            set_atomic(word, rd, rs1, rs2, out);
            return;
        case kFloat:
            out->reads = bit_of(rs1);
            out->writes_other = true;
            if (field(word, 31, 1) != 0 && field(word, 28, 1) == 0) {  // comparisons, to whole numbers, moves out
                out->writes = bit_of(rd);
            }
            return;
        case kBranch:
            set_branch(word, rs1, rs2, out);
            return;
        case kJal:
            out->writes = bit_of(rd);
            set_call(out);
            return;
        case kJalr:
            out->source = signed_field(word, 20, 12) == 0 ? rs1 : kNoRegister;
            out->reads = bit_of(rs1);
            out->writes = bit_of(rd);
            set_call(out);
            return;
        case kSystem:
            set_system(word, rd, rs1, out);
            return;
        case 0x43:
        case 0x47:
        case 0x4b:
        case 0x4f:  // fused multiplications
            out->writes_other = true;
            return;
        default:
            set_unknown_effect(out);
            return;
    }
}

void set_short_effect(std::uint32_t half, Instruction* out) {
    const std::uint8_t full = or_zero(field(half, 7, 5));
    const std::uint8_t full2 = or_zero(field(half, 2, 5));
    const std::uint8_t near = near_register(field(half, 7, 3));
    const std::uint8_t near2 = near_register(field(half, 2, 3));
    const std::uint32_t six = field(half, 12, 1) << 5U | field(half, 2, 5);
    const std::int64_t number = sign_extended(six, 6);
    const std::uint32_t word_offset = field(half, 10, 3) << 3U | field(half, 6, 1) << 2U | field(half, 5, 1) << 6U;
    const std::uint32_t double_offset = field(half, 10, 3) << 3U | field(half, 5, 2) << 6U;
    switch (field(half, 0, 2) << 3U | field(half, 13, 3)) {
        case kShortStackAddress:
            set_sum(near2, kStackPointer, kNoRegister,
                    field(half, 11, 2) << 4U | field(half, 7, 4) << 6U | field(half, 6, 1) << 2U |
                        field(half, 5, 1) << 3U,
                    out);
            return;
        case kShortLoadWord:
            set_access({near2, near, 4, word_offset, false, false, true}, out);
            return;
        case kShortLoad:
            set_access({near2, near, 8, double_offset, false, false, false}, out);
            return;
        case kShortStoreWord:
            set_access({near2, near, 4, word_offset, true, false, false}, out);
            return;
        case kShortStore:
            set_access({near2, near, 8, double_offset, true, false, false}, out);
            return;
        case kShortAdd:
            if (full != kNoRegister) {
                set_sum(full, full, kNoRegister, number, out);
            }
            return;
        case kShortAdd32:
            set_other(full, full, kNoRegister, out);
            if (number == 0) {  // sext.w
                out->operation = Operation::kSignExtend;
                out->source = full;
                out->bits = 32;
            }
            return;
        case kShortConstant:
            set_sum(full, kNoRegister, kNoRegister, number, out);
            return;
        case kShortUpper:
            if (full == kStackPointer) {
                set_sum(full, full, kNoRegister,
                        sign_extended(field(half, 12, 1) << 9U | field(half, 3, 2) << 7U | field(half, 5, 1) << 6U |
                                          field(half, 2, 1) << 5U | field(half, 6, 1) << 4U,
                                      10),
                        out);
            } else {
                set_sum(full, kNoRegister, kNoRegister, number * 4096, out);
            }
            return;
        case kShortArithmetic: {
            const bool is_mask = field(half, 10, 2) == 2;
            if (field(half, 10, 2) == 0) {  // c.srli
                set_shift(near, near, -static_cast<std::int64_t>(six), out);
                return;
            }
            set_other(near, near, field(half, 10, 2) == 3 ? near2 : kNoRegister, out);
            if (is_mask && number >= 0) {  // c.andi
                out->operation = Operation::kMask;
                out->source = near;
                out->bits = 64;
                out->constant = number;
            }
            return;
        }
        case kShortBranchZero:
        case kShortBranchNotZero:
            out->reads = bit_of(near);
            return;
        case kShortShift:
            set_shift_left(full, full, six, out);
            return;
        case kShortLoadWordStack:
            set_access(
                {full, kStackPointer, 4, field(half, 12, 1) << 5U | field(half, 4, 3) << 2U | field(half, 2, 2) << 6U,
                 false, false, true},
                out);
            return;
        case kShortLoadStack:
            set_access(
                {full, kStackPointer, 8, field(half, 12, 1) << 5U | field(half, 5, 2) << 3U | field(half, 2, 3) << 6U,
                 false, false, false},
                out);
            return;
        case kShortRegisters:
            if (full2 != kNoRegister) {  // c.mv, c.add
                set_sum(full, field(half, 12, 1) != 0 ? full : kNoRegister, full2, 0, out);
                return;
            }
            out->source = full;
            out->reads = bit_of(full);
            out->writes = out->kind == InstructionKind::kIndirectCall ? 1U << 1U : 0U;
            set_call(out);
            return;
        case kShortStoreWordStack:
            set_access(
                {full2, kStackPointer, 4, field(half, 9, 4) << 2U | field(half, 7, 2) << 6U, true, false, false},
                out);
            return;
        case kShortStoreStack:
            set_access(
                {full2, kStackPointer, 8, field(half, 10, 3) << 3U | field(half, 7, 3) << 6U, true, false, false},
                out);
            return;
        case kShortLoadDouble:
        case kShortStoreDouble:
            set_access({kNoRegister, near, 8, double_offset, field(half, 15, 1) != 0, true, false}, out);
            return;
        case kShortLoadDoubleStack:
            set_access(
                {kNoRegister, kStackPointer, 8,
                 field(half, 12, 1) << 5U | field(half, 5, 2) << 3U | field(half, 2, 3) << 6U, false, true, false},
                out);
            return;
        case kShortStoreDoubleStack:
            set_access({kNoRegister, kStackPointer, 8, field(half, 10, 3) << 3U | field(half, 7, 3) << 6U, true, true,
                        false},
                       out);
            return;
        case kShortJump:
            return;
        default:  // what later extensions put there
            set_unknown_effect(out);
            return;
    }
}

}  // namespace kymo::program::riscv64
