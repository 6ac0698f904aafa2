// Encodings: LoongArch Reference Manual, volume 1, appendix B.
#include "program/flow/loongarch64/effect.h"

#include <algorithm>
#include <iterator>

namespace kymo::program::loongarch64 {
namespace {

// What a callee may change (LoongArch ELF psABI): r1, r4–r20.
constexpr std::uint32_t kCallerSaved = 0x001f'fff2;

std::uint8_t or_zero(std::uint32_t number) {
    return number == 0 ? kNoRegister : static_cast<std::uint8_t>(number);
}

std::uint32_t bit_of(std::uint8_t reg) {
    return reg == kNoRegister ? 0U : 1U << reg;
}

void set_other(std::uint8_t destination, std::uint8_t source, std::uint8_t source2, Instruction* out) {
    out->destination = destination;
    out->writes |= bit_of(destination);
    out->reads |= bit_of(source) | bit_of(source2);
}

void set_sum(std::uint8_t destination, std::uint8_t source, std::uint8_t source2, std::int64_t constant,
             Instruction* out) {
    set_other(destination, source, source2, out);
    out->operation = Operation::kSum;
    out->source = source;
    out->source2 = source2;
    out->constant = constant;
}

// Loads and stores, by the bits that name them.
struct Access {
    std::uint32_t bits;
    std::uint32_t mask;
    std::uint8_t width;
    bool is_written;
    bool is_float;
    bool is_signed;
};
constexpr std::uint32_t kNear = 0xffc0'0000;     // 12 bits of displacement
constexpr std::uint32_t kPointer = 0xff00'0000;  // 14 bits of displacement, in words
constexpr std::uint32_t kIndexed = 0xffff'8000;
constexpr Access kAccesses[] = {
    {0x2800'0000, kNear, 1, false, false, true},      // ld.b
    {0x2840'0000, kNear, 2, false, false, true},      // ld.h
    {0x2880'0000, kNear, 4, false, false, true},      // ld.w
    {0x28c0'0000, kNear, 8, false, false, false},     // ld.d
    {0x2900'0000, kNear, 1, true, false, false},      // st.b
    {0x2940'0000, kNear, 2, true, false, false},      // st.h
    {0x2980'0000, kNear, 4, true, false, false},      // st.w
    {0x29c0'0000, kNear, 8, true, false, false},      // st.d
    {0x2a00'0000, kNear, 1, false, false, false},     // ld.bu
    {0x2a40'0000, kNear, 2, false, false, false},     // ld.hu
    {0x2a80'0000, kNear, 4, false, false, false},     // ld.wu
    {0x2b00'0000, kNear, 4, false, true, false},      // fld.s
    {0x2b40'0000, kNear, 4, true, true, false},       // fst.s
    {0x2b80'0000, kNear, 8, false, true, false},      // fld.d
    {0x2bc0'0000, kNear, 8, true, true, false},       // fst.d
    {0x2400'0000, kPointer, 4, false, false, true},   // ldptr.w
    {0x2500'0000, kPointer, 4, true, false, false},   // stptr.w
    {0x2600'0000, kPointer, 8, false, false, false},  // ldptr.d
    {0x2700'0000, kPointer, 8, true, false, false},   // stptr.d
    {0x3800'0000, kIndexed, 1, false, false, true},   // ldx.b
    {0x3804'0000, kIndexed, 2, false, false, true},   // ldx.h
    {0x3808'0000, kIndexed, 4, false, false, true},   // ldx.w
    {0x380c'0000, kIndexed, 8, false, false, false},  // ldx.d
    {0x3810'0000, kIndexed, 1, true, false, false},   // stx.b
    {0x3814'0000, kIndexed, 2, true, false, false},   // stx.h
    {0x3818'0000, kIndexed, 4, true, false, false},   // stx.w
    {0x381c'0000, kIndexed, 8, true, false, false},   // stx.d
    {0x3820'0000, kIndexed, 1, false, false, false},  // ldx.bu
    {0x3824'0000, kIndexed, 2, false, false, false},  // ldx.hu
    {0x3828'0000, kIndexed, 4, false, false, false},  // ldx.wu
};

void set_access(std::uint32_t word, const Access& access, Instruction* out) {
    const std::uint8_t rd = or_zero(field(word, 0, 5));
    MemoryOperand& operand = out->memory[out->memory_operands++];
    operand.base = or_zero(field(word, 5, 5));
    operand.width = access.width;
    operand.is_read = !access.is_written;
    operand.is_written = access.is_written;
    if (access.mask == kIndexed) {
        operand.index = or_zero(field(word, 10, 5));
    } else {
        operand.displacement = access.mask == kNear ? signed_field(word, 10, 12) : signed_field(word, 10, 14) * 4;
    }
    out->reads = bit_of(operand.base) | bit_of(operand.index);
    out->writes_memory = access.is_written;
    if (access.is_float) {
        out->writes_other = !access.is_written;
    } else if (access.is_written) {
        out->reads |= bit_of(rd);
    } else {
        set_other(rd, kNoRegister, kNoRegister, out);
        out->operation = Operation::kLoad;
        out->bits = static_cast<std::uint8_t>(8 * access.width);
        out->is_signed = access.is_signed;
    }
}

void set_branch(std::uint32_t word, Instruction* out) {
    const std::uint32_t major = field(word, 26, 6);
    const std::uint8_t rj = or_zero(field(word, 5, 5));
    const std::uint8_t rd = or_zero(field(word, 0, 5));
    switch (major) {
        case kEqualZero:
        case kNotEqualZero:
            out->reads = bit_of(rj);
            return;
        case kFloatCondition:
        case kJump:
            return;
        case kCall:
            out->writes = kCallerSaved;
            out->writes_memory = true;
            return;
        case kIndirect:
            out->source = field(word, 10, 16) == 0 ? rj : kNoRegister;
            out->reads = bit_of(rj);
            out->writes = bit_of(rd);
            if (out->kind == InstructionKind::kIndirectCall) {
                out->writes |= kCallerSaved;
                out->writes_memory = true;
            }
            return;
        default:
            out->reads = bit_of(rj) | bit_of(rd);
            break;
    }
    if (major >= kBelow && rj != kNoRegister) {  // compares its two registers itself
        out->operation = Operation::kCompare;
        out->bits = 64;
        out->source = rj;
        out->source2 = rd;
        out->condition = major == kBelow ? Condition::kBelow : Condition::kAboveOrEqual;
    }
}

// With 12 bits of a number (bits 31…22). False: no such instruction.
bool set_number(std::uint32_t word, std::uint8_t rd, std::uint8_t rj, Instruction* out) {
    const std::uint32_t opcode = field(word, 22, 10);
    const std::int64_t value = signed_field(word, 10, 12);
    if (opcode < 0x08 || opcode > 0x0f) {
        return false;
    }
    if (opcode == 0x0b || (opcode == 0x0a && rj == kNoRegister)) {  // addi.d; addi.w of zero
        set_sum(rd, rj, kNoRegister, value, out);
        return true;
    }
    set_other(rd, rj, kNoRegister, out);
    if (opcode == 0x0a && value == 0) {  // addi.w
        out->operation = Operation::kSignExtend;
        out->source = rj;
        out->bits = 32;
    } else if (opcode == 0x0d) {  // andi
        out->operation = Operation::kMask;
        out->source = rj;
        out->bits = 64;
        out->constant = field(word, 10, 12);
    } else if (opcode == 0x0e && rj == kNoRegister) {  // ori of zero
        set_sum(rd, kNoRegister, kNoRegister, field(word, 10, 12), out);
    }
    return true;
}

// With 20 bits of a number (bits 31…25).
void set_upper(std::uint32_t word, std::uint64_t address, std::uint8_t rd, Instruction* out) {
    const std::int64_t value = signed_field(word, 5, 20);
    const auto relative = [&](std::int64_t bytes) {
        return static_cast<std::int64_t>(address + static_cast<std::uint64_t>(bytes));
    };
    switch (field(word, 25, 7)) {
        case 0x0a:  // lu12i.w
            set_sum(rd, kNoRegister, kNoRegister, value * 0x1000, out);
            return;
        case 0x0c:  // pcaddi
            set_sum(rd, kNoRegister, kNoRegister, relative(value * 4), out);
            return;
        case 0x0d:  // pcalau12i
            set_sum(rd, kNoRegister, kNoRegister, relative(value * 0x1000) & ~std::int64_t{0xfff}, out);
            return;
        case 0x0e:  // pcaddu12i
            set_sum(rd, kNoRegister, kNoRegister, relative(value * 0x1000), out);
            return;
        case 0x0f:  // pcaddu18i
            set_sum(rd, kNoRegister, kNoRegister, relative(value * 0x40000), out);
            return;
        default:  // lu32i.d keeps the lower half
            set_other(rd, rd, kNoRegister, out);
            return;
    }
}

// Of three registers, and shifts (bits 31…22 are below 4).
void set_registers(std::uint32_t word, std::uint8_t rd, std::uint8_t rj, Instruction* out) {
    const std::uint8_t rk = or_zero(field(word, 10, 5));
    constexpr std::uint32_t kAdd = 0x0010'8000;
    constexpr std::uint32_t kOr = 0x0015'0000;
    constexpr std::uint32_t kScaledAdd = 0x002c'0000;  // alsl.d
    constexpr std::uint32_t kShiftLeft = 0x0041'0000;  // slli.d
    constexpr std::uint32_t kPick = 0x00c0'0000;       // bstrpick.d
    const std::uint32_t shift = field(word, 10, 6);
    if ((word & 0xffff'8000U) == kAdd) {
        set_sum(rd, rj, rk, 0, out);
    } else if ((word & 0xffff'8000U) == kOr && (rj == kNoRegister || rk == kNoRegister)) {
        set_sum(rd, rj == kNoRegister ? rk : rj, kNoRegister, 0, out);
    } else if ((word & 0xfffe'0000U) == kScaledAdd) {
        set_sum(rd, rk, rj, 0, out);
        out->scale = static_cast<std::uint8_t>(2U << field(word, 15, 2));
    } else if ((word & 0xffff'0000U) == kShiftLeft && shift <= 6) {
        set_sum(rd, kNoRegister, rj, 0, out);
        out->scale = static_cast<std::uint8_t>(1U << shift);
    } else if ((word & 0xffc0'0000U) == kPick && shift == 0) {
        set_other(rd, rj, kNoRegister, out);
        out->operation = Operation::kZeroExtend;
        out->source = rj;
        out->bits = static_cast<std::uint8_t>(field(word, 16, 6) + 1);
    } else {
        set_other(rd, rj, rk, out);
    }
}

}  // namespace

void set_effect(std::uint32_t word, std::uint64_t address, Instruction* out) {
    const std::uint8_t rd = or_zero(field(word, 0, 5));
    const std::uint8_t rj = or_zero(field(word, 5, 5));
    constexpr std::uint32_t kSystemCall = 0x002b'0000;
    constexpr std::uint32_t kPrefetch = 0x2ac0'0000;
    const std::uint32_t major = field(word, 26, 6);
    if (major >= kEqualZero && major <= kAboveOrEqual) {
        set_branch(word, out);
        return;
    }
    const auto* const access = std::find_if(std::begin(kAccesses), std::end(kAccesses),
                                            [&](const Access& each) { return (word & each.mask) == each.bits; });
    if (access != std::end(kAccesses)) {
        set_access(word, *access, out);
    } else if ((word & 0xffff'8000U) == kSystemCall) {
        out->writes = kCallerSaved;
        out->writes_memory = true;
    } else if ((word & kNear) == kPrefetch || (word & 0xffff'0000U) == 0x3872'0000 ||  // dbar, ibar
               set_number(word, rd, rj, out)) {
        return;
    } else if (field(word, 25, 7) >= 0x0a && field(word, 25, 7) <= 0x0f) {
        set_upper(word, address, rd, out);
    } else if (major == 0x04) {  // addu16i.d
        set_sum(rd, rj, kNoRegister, signed_field(word, 10, 16) * 0x10000, out);
    } else if (field(word, 22, 10) < 4) {
        set_registers(word, rd, rj, out);
    } else if ((field(word, 24, 8) == 0x01 && (word & 0xffff'0000U) != 0x0114'0000) || major == 0x02 ||
               major == 0x03) {
        out->writes_other = true;  // floating point, except moves between registers and the like
    } else {
        set_unknown_effect(out);
    }
}

}  // namespace kymo::program::loongarch64
