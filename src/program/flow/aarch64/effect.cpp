// Encodings: Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1.
#include "program/flow/aarch64/effect.h"

#include "program/flow/word.h"

#include <optional>

namespace kymo::program::aarch64 {
namespace {

struct Fields {
    std::uint8_t rd = 0;
    std::uint8_t rn = 0;
    std::uint8_t rm = 0;
    bool is_64 = false;
};

Fields fields_of(std::uint32_t word) {
    return {or_zero(field(word, 0, 5)), or_zero(field(word, 5, 5)), or_zero(field(word, 16, 5)),
            field(word, 31, 1) != 0};
}

void write(std::uint8_t reg, Instruction* out) {
    out->destination = reg;
    out->writes |= bit_of(reg);
}

// source + source2 × scale + constant.
void set_sum(std::uint8_t source, std::uint8_t source2, std::int64_t constant, Instruction* out) {
    out->operation = Operation::kSum;
    out->source = source;
    out->source2 = source2;
    out->constant = constant;
}

void set_extension(Operation operation, std::uint8_t source, std::uint32_t bits, Instruction* out) {
    out->operation = operation;
    out->source = source;
    out->bits = static_cast<std::uint8_t>(bits);
}

// The mask that a logical instruction's N, immr and imms encode (shared pseudocode DecodeBitMasks): a run of ones,
// rotated, in an element that is repeated. None: reserved.
std::optional<std::uint64_t> mask_of(std::uint32_t word, bool is_64) {
    const std::uint32_t n = field(word, 22, 1);
    const std::uint32_t imms = field(word, 10, 6);
    const std::uint32_t immr = field(word, 16, 6);
    const std::uint32_t combined = n << 6U | (~imms & 0x3fU);
    if (combined < 2 || (n != 0 && !is_64)) {
        return std::nullopt;
    }
    const auto size = std::uint32_t{1} << (std::bit_width(combined) - 1U);
    const std::uint32_t ones = (imms & (size - 1)) + 1;
    if (ones == size) {
        return std::nullopt;
    }
    const std::uint32_t turn = immr & (size - 1);
    const std::uint64_t all = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    std::uint64_t element = (std::uint64_t{1} << ones) - 1;
    if (turn != 0) {
        element = (element >> turn | element << (size - turn)) & all;
    }
    for (std::uint32_t i = size; i < 64; i *= 2) {
        element |= element << i;
    }
    return is_64 ? element : element & 0xffff'ffffU;
}

void set_add_immediate(std::uint32_t word, Instruction* out) {
    const bool is_64 = field(word, 31, 1) != 0;
    const bool subtracts = field(word, 30, 1) != 0;
    const bool sets_flags = field(word, 29, 1) != 0;
    const auto rn = static_cast<std::uint8_t>(field(word, 5, 5));  // 31: the stack pointer
    const auto rd = sets_flags ? or_zero(field(word, 0, 5)) : static_cast<std::uint8_t>(field(word, 0, 5));
    const std::int64_t value = std::int64_t{field(word, 10, 12)} << (field(word, 22, 1) != 0 ? 12U : 0U);
    out->reads = bit_of(rn);
    out->writes_flags = sets_flags;
    if (rd == kNoRegister) {
        if (subtracts) {  // CMP
            out->operation = Operation::kCompare;
            out->source = rn;
            out->bits = is_64 ? 64 : 32;
            out->constant = value;
        }
        return;
    }
    write(rd, out);
    set_sum(rn, kNoRegister, subtracts ? -value : value, out);
    if (!is_64) {
        out->operation = Operation::kStep;
    }
}

void set_logical_immediate(std::uint32_t word, Instruction* out) {
    const Fields in = fields_of(word);
    const std::uint32_t which = field(word, 29, 2);  // AND, ORR, EOR, ANDS
    out->reads = bit_of(in.rn);
    out->writes_flags = which == 0b11;
    const auto rd = which == 0b11 ? in.rd : static_cast<std::uint8_t>(field(word, 0, 5));
    write(rd, out);
    const auto mask = mask_of(word, in.is_64);
    if (!mask) {
        return;
    }
    if ((which == 0b00 || which == 0b11) && rd != kNoRegister) {
        out->operation = Operation::kMask;
        out->source = in.rn;
        out->bits = in.is_64 ? 64 : 32;
        out->constant = static_cast<std::int64_t>(*mask);
    } else if (which == 0b01 && in.rn == kNoRegister) {  // MOV
        set_sum(kNoRegister, kNoRegister, static_cast<std::int64_t>(*mask), out);
    }
}

void set_move_wide(std::uint32_t word, Instruction* out) {
    const Fields in = fields_of(word);
    write(in.rd, out);
    const std::uint32_t which = field(word, 29, 2);
    const std::uint64_t part = std::uint64_t{field(word, 5, 16)} << (16 * field(word, 21, 2));
    if (which == 0b11) {  // MOVK keeps the rest
        out->reads = bit_of(in.rd);
    } else {
        const std::uint64_t value = which == 0b00 ? ~part : part;  // MOVN, MOVZ
        set_sum(kNoRegister, kNoRegister, static_cast<std::int64_t>(in.is_64 ? value : value & 0xffff'ffffU), out);
    }
}

void set_bitfield(std::uint32_t word, Instruction* out) {
    const Fields in = fields_of(word);
    const std::uint32_t which = field(word, 29, 2);  // SBFM, BFM, UBFM
    const std::uint32_t immr = field(word, 16, 6);
    const std::uint32_t imms = field(word, 10, 6);
    out->reads = bit_of(in.rn) | (which == 0b01 ? bit_of(in.rd) : 0U);
    write(in.rd, out);
    if (immr == 0 && which == 0b10) {  // UXTB, UXTH; also of other widths
        set_extension(Operation::kZeroExtend, in.rn, imms + 1, out);
    } else if (immr == 0 && which == 0b00 && in.is_64) {  // SXTB, SXTH, SXTW
        set_extension(Operation::kSignExtend, in.rn, imms + 1, out);
    } else if (which == 0b10 && in.is_64 && imms + 1 == immr && 64 - immr <= 6) {  // LSL by up to 6
        set_sum(kNoRegister, in.rn, 0, out);
        out->scale = static_cast<std::uint8_t>(1U << (64 - immr));
    }
}

// C4.1.92: data processing with an immediate.
void set_immediate(std::uint32_t word, std::uint64_t address, Instruction* out) {
    const Fields in = fields_of(word);
    switch (field(word, 23, 3)) {
        case 0b000:
        case 0b001: {  // ADR, ADRP
            const std::int64_t value =
                sign_extended(std::uint64_t{field(word, 5, 19)} << 2U | field(word, 29, 2), 21);
            const bool is_page = field(word, 31, 1) != 0;
            const std::uint64_t target = is_page ? (address & ~0xfffULL) + static_cast<std::uint64_t>(value * 4096)
                                                 : address + static_cast<std::uint64_t>(value);
            write(in.rd, out);
            set_sum(kNoRegister, kNoRegister, static_cast<std::int64_t>(target), out);
            return;
        }
        case 0b010:
            set_add_immediate(word, out);
            return;
        case 0b011:  // tags, minimum and maximum
            out->reads = 1U << field(word, 5, 5);
            out->writes = 1U << field(word, 0, 5);
            return;
        case 0b100:
            set_logical_immediate(word, out);
            return;
        case 0b101:
            set_move_wide(word, out);
            return;
        case 0b110:
            set_bitfield(word, out);
            return;
        default:  // EXTR
            out->reads = bit_of(in.rn) | bit_of(in.rm);
            out->writes = bit_of(in.rd);
            return;
    }
}

// ADD with its second source shifted, or extended from a part.
void set_add_register(std::uint32_t word, bool is_extended, Instruction* out) {
    const Fields in = fields_of(word);
    const bool subtracts = field(word, 30, 1) != 0;
    const bool sets_flags = field(word, 29, 1) != 0;
    const auto raw_rn = static_cast<std::uint8_t>(field(word, 5, 5));
    const auto raw_rd = static_cast<std::uint8_t>(field(word, 0, 5));
    const std::uint8_t rn = is_extended ? raw_rn : in.rn;
    const std::uint8_t rd = is_extended && !sets_flags ? raw_rd : in.rd;
    out->reads = bit_of(rn) | bit_of(in.rm);
    out->writes_flags = sets_flags;
    write(rd, out);
    if (subtracts && rd == kNoRegister && rn != kNoRegister && !is_extended && field(word, 10, 6) == 0) {  // CMP
        out->operation = Operation::kCompare;
        out->source = rn;
        out->source2 = in.rm;
        out->bits = in.is_64 ? 64 : 32;
        return;
    }
    const std::uint32_t shift = is_extended ? field(word, 10, 3) : field(word, 10, 6);
    const bool is_left = is_extended || field(word, 22, 2) == 0;
    if (subtracts || !in.is_64 || rd == kNoRegister || !is_left || shift > 6) {
        return;
    }
    set_sum(rn, in.rm, 0, out);
    out->scale = static_cast<std::uint8_t>(1U << shift);
    if (is_extended && field(word, 13, 2) != 0b11) {  // not UXTX, SXTX
        out->bits = static_cast<std::uint8_t>(8U << field(word, 13, 2));
        out->is_signed = field(word, 15, 1) != 0;
    }
}

void set_logical_register(std::uint32_t word, Instruction* out) {
    const Fields in = fields_of(word);
    const std::uint32_t which = field(word, 29, 2);
    out->reads = bit_of(in.rn) | bit_of(in.rm);
    out->writes_flags = which == 0b11;
    write(in.rd, out);
    const bool is_move = which == 0b01 && in.rn == kNoRegister && field(word, 10, 6) == 0 && field(word, 21, 1) == 0;
    if (is_move && in.is_64) {
        set_sum(in.rm, kNoRegister, 0, out);
    } else if (is_move && in.rm == kNoRegister) {
        set_sum(kNoRegister, kNoRegister, 0, out);
    } else if (is_move) {
        set_extension(Operation::kZeroExtend, in.rm, 32, out);
    }
}

// C4.1.95: data processing of registers.
void set_register(std::uint32_t word, Instruction* out) {
    const Fields in = fields_of(word);
    if (field(word, 24, 5) == 0b01010) {
        set_logical_register(word, out);
        return;
    }
    if (field(word, 24, 5) == 0b01011) {
        set_add_register(word, field(word, 21, 1) != 0, out);
        return;
    }
    out->reads = bit_of(in.rn) | bit_of(in.rm);
    if (field(word, 21, 8) == 0b11010010) {  // conditional compare
        out->writes_flags = true;
        return;
    }
    write(in.rd, out);
    if (field(word, 24, 5) == 0b11011) {  // three sources
        out->reads |= bit_of(or_zero(field(word, 10, 5)));
    } else if (field(word, 21, 8) == 0b11010000 || field(word, 21, 8) == 0b11010110) {
        out->writes_flags = true;  // with carry and the like; some of those of one or two sources
    }
}

// C4.1.96: floating point and vectors. Few write a general register.
void set_vector(std::uint32_t word, Instruction* out) {
    out->writes_other = true;
    out->writes_flags = true;  // comparisons do
    const bool is_conversion =
        field(word, 24, 7) == 0b0011110 && (field(word, 21, 1) == 0 || field(word, 10, 6) == 0);
    const bool from_general =
        field(word, 16, 3) == 0b010 || field(word, 16, 3) == 0b011 || field(word, 16, 3) == 0b111;
    const bool is_element = (word & 0xbfe0'fc00U) == 0x0e00'3c00U || (word & 0xbfe0'fc00U) == 0x0e00'2c00U;
    if ((is_conversion && !from_general) || is_element) {  // FCVT*, FMOV; UMOV, SMOV
        out->writes |= bit_of(or_zero(field(word, 0, 5)));
    }
    out->reads |= bit_of(or_zero(field(word, 5, 5)));
}

// Hints (NOP's relatives) and system registers.
void set_system(std::uint32_t word, Instruction* out) {
    if ((word & 0xffff'f01fU) == 0xd503'201fU) {
        const std::uint32_t hint = field(word, 5, 7);
        out->is_pause = hint == 1 || hint == 2;  // YIELD, WFE
        constexpr std::uint32_t kStripLink = 7;  // XPACLRI
        if (hint == kStripLink || hint >> 3U == 3) {
            out->writes = 1U << kLinkRegister;
        } else if (hint >> 3U == 1) {
            out->writes = 1U << 17U;
        }
        return;
    }
    const std::uint8_t rt = or_zero(field(word, 0, 5));
    if (field(word, 21, 1) != 0) {  // MRS, SYSL
        write(rt, out);
        return;
    }
    out->reads = bit_of(rt);
    out->writes_other = field(word, 20, 1) != 0;  // MSR
    out->writes_flags = out->writes_other;
}

void set_branch_effect(std::uint32_t word, Instruction* out) {
    switch (out->kind) {
        case InstructionKind::kCall:
        case InstructionKind::kIndirectCall:
            out->writes = kCallerSaved;
            out->writes_memory = out->writes_flags = true;
            break;
        default:
            break;
    }
    if (out->kind == InstructionKind::kIndirectJump || out->kind == InstructionKind::kIndirectCall) {
        out->source = or_zero(field(word, 5, 5));
        out->reads = bit_of(out->source);
    } else if (field(word, 26, 5) == 0b01101) {  // CBZ, CBNZ, TBZ, TBNZ
        out->reads = bit_of(or_zero(field(word, 0, 5)));
    } else if (field(word, 24, 8) == 0x54) {
        constexpr Condition kConditions[] = {Condition::kAboveOrEqual, Condition::kBelow, Condition::kAbove,
                                             Condition::kBelowOrEqual};  // CS, CC; HI, LS
        const std::uint32_t condition = field(word, 0, 4);
        out->condition = condition >> 1U == 1   ? kConditions[condition & 1U]
                         : condition >> 1U == 4 ? kConditions[2 + (condition & 1U)]
                                                : Condition::kOther;
    } else if (field(word, 24, 8) == 0xd4) {  // the kernel's, or a debugger's
        out->writes = kCallerSaved;
        out->writes_memory = true;
    } else if (field(word, 24, 8) == 0xd5) {
        set_system(word, out);
    }
}

}  // namespace

void set_effect(std::uint32_t word, std::uint64_t address, Instruction* out) {
    switch (field(word, 25, 4)) {
        case 0b1000:
        case 0b1001:
            set_immediate(word, address, out);
            return;
        case 0b1010:
        case 0b1011:
            set_branch_effect(word, out);
            return;
        case 0b0100:
        case 0b0110:
        case 0b1100:
        case 0b1110:
            set_memory_effect(word, address, out);
            return;
        case 0b0101:
        case 0b1101:
            set_register(word, out);
            return;
        case 0b0111:
        case 0b1111:
            set_vector(word, out);
            return;
        default:  // SVE, SME
            set_unknown_effect(out);
            return;
    }
}

}  // namespace kymo::program::aarch64
