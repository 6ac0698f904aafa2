#include "program/flow/sw_64/effect.h"

#include "program/flow/word.h"

#include <algorithm>
#include <iterator>

namespace kymo::program::sw_64 {
namespace {

constexpr std::uint32_t kZero = 31;
// What a callee may change, as with Alpha, whose calling standard it keeps: all but R9–R15 and R30.
constexpr std::uint32_t kCallerSaved = ~(0xfe00U | 1U << 30U | 1U << kZero);

std::uint8_t or_zero(std::uint32_t number) {
    return number == kZero ? kNoRegister : static_cast<std::uint8_t>(number);
}

std::uint32_t bit_of(std::uint8_t reg) {
    return reg == kNoRegister ? 0U : 1U << reg;
}

void write(std::uint8_t reg, Instruction* out) {
    out->destination = reg;
    out->writes |= bit_of(reg);
}

void set_sum(std::uint8_t source, std::uint8_t source2, std::int64_t constant, Instruction* out) {
    out->operation = Operation::kSum;
    out->source = source;
    out->source2 = source2;
    out->constant = constant;
}

// Loads and stores of the memory format: Ra, 16 bits of displacement, Rb.
struct Access {
    std::uint32_t major;
    std::uint8_t width;
    bool is_written;
    bool is_vector;  // or floating point
    bool is_signed;
};
constexpr Access kAccesses[] = {
    {0x09, 4, false, true, false},   // ldwe: one element to all four
    {0x0a, 4, false, true, false},   // ldse
    {0x0b, 8, false, true, false},   // ldde
    {0x0c, 16, false, true, false},  // vlds
    {0x0d, 32, false, true, false},  // vldd
    {0x0e, 16, true, true, false},   // vsts
    {0x0f, 32, true, true, false},   // vstd
    {0x20, 1, false, false, false},  // ldbu
    {0x21, 2, false, false, false},  // ldhu
    {0x22, 4, false, false, true},   // ldw
    {0x23, 8, false, false, false},  // ldl
    {0x24, 8, false, false, false},  // ldl_u
    {0x26, 4, false, true, false},   // flds
    {0x27, 8, false, true, false},   // fldd
    {0x28, 1, true, false, false},   // stb
    {0x29, 2, true, false, false},   // sth
    {0x2a, 4, true, false, false},   // stw
    {0x2b, 8, true, false, false},   // stl
    {0x2c, 8, true, false, false},   // stl_u
    {0x2e, 4, true, true, false},    // fsts
    {0x2f, 8, true, true, false},    // fstd
};

const Access* access_of(std::uint32_t major) {
    const auto* const row = std::find_if(std::begin(kAccesses), std::end(kAccesses),
                                         [&](const Access& each) { return each.major == major; });
    return row == std::end(kAccesses) ? nullptr : row;
}

void set_memory(std::uint32_t word, const Access& access, Instruction* out) {
    const std::uint8_t ra = or_zero(field(word, 21, 5));
    if (!access.is_written && ra == kNoRegister) {
        return;  // a prefetch, or nothing
    }
    MemoryOperand& operand = out->memory[out->memory_operands++];
    operand.base = or_zero(field(word, 16, 5));
    operand.width = access.width;
    operand.is_read = !access.is_written;
    operand.is_written = access.is_written;
    operand.displacement = signed_field(word, 0, 16);
    out->reads = bit_of(operand.base);
    out->writes_memory = access.is_written;
    if (access.is_vector) {
        out->writes_other = !access.is_written;
    } else if (access.is_written) {
        out->reads |= bit_of(ra);
    } else {
        write(ra, out);
        out->operation = Operation::kLoad;
        out->bits = static_cast<std::uint8_t>(8 * access.width);
        out->is_signed = access.is_signed;
    }
}

// Integer operations: Ra and Rb, or Ra and 8 bits, into Rc.
void set_integer(std::uint32_t word, bool is_literal, Instruction* out) {
    const std::uint8_t ra = or_zero(field(word, 21, 5));
    const std::uint8_t rb = is_literal ? kNoRegister : or_zero(field(word, 16, 5));
    const std::int64_t literal = is_literal ? std::int64_t{field(word, 13, 8)} : 0;
    const std::uint32_t function = field(word, 5, 8);
    out->reads = bit_of(ra) | bit_of(rb);
    const bool reads_vector = function == 0x70 || function == 0x78;  // fimovs, fimovd
    if (reads_vector) {
        out->reads = 0;
    }
    write(or_zero(field(word, 0, 5)), out);
    switch (function) {
        case 0x08:  // addl
            set_sum(ra, rb, literal, out);
            break;
        case 0x09:  // subl
            if (is_literal || rb == kNoRegister) {
                set_sum(ra, kNoRegister, -literal, out);
            }
            break;
        case 0x0a:  // s4addl
        case 0x0c:  // s8addl
            set_sum(rb, ra, literal, out);
            out->scale = function == 0x0a ? 4 : 8;
            break;
        case 0x38:  // and
            if (is_literal) {
                out->operation = Operation::kMask;
                out->source = ra;
                out->bits = 64;
                out->constant = literal;
            }
            break;
        case 0x3a:  // bis
            if (ra == kNoRegister) {
                set_sum(rb, kNoRegister, literal, out);
            } else if (rb == kNoRegister && literal == 0) {
                set_sum(ra, kNoRegister, 0, out);
            }
            break;
        default:
            break;
    }
}

}  // namespace

void set_effect(std::uint32_t word, Instruction* out) {
    const std::uint32_t major = field(word, 26, 6);
    const std::uint8_t ra = or_zero(field(word, 21, 5));
    const std::uint8_t rb = or_zero(field(word, 16, 5));
    if (const Access* const access = access_of(major); access != nullptr) {
        set_memory(word, *access, out);
        return;
    }
    switch (major) {
        case kSystemCall:
            out->writes = kCallerSaved;
            out->writes_memory = true;
            return;
        case kCall:
        case kJump:
            out->source = rb;
            out->reads = bit_of(rb);
            out->writes = bit_of(ra) | (major == kCall ? kCallerSaved : 0U);
            out->writes_memory = major == kCall;
            return;
        case kReturn:
            out->reads = bit_of(rb);
            return;
        case kBranch:
        case kBranchCall:
            out->writes = bit_of(ra) | (major == kBranchCall ? kCallerSaved : 0U);
            out->writes_memory = major == kBranchCall;
            return;
        case kMiscellaneous:
            out->writes = bit_of(ra);
            out->writes_other = true;
            return;
        case 0x10:
        case 0x12:
            set_integer(word, major == 0x12, out);
            return;
        case 0x11:
        case 0x13:  // seleq …: Rc = Ra fits ? Rb or 8 bits : Rc3
            out->reads = bit_of(ra) | (major == 0x11 ? bit_of(rb) : 0U) | bit_of(or_zero(field(word, 5, 5)));
            write(or_zero(field(word, 0, 5)), out);
            return;
        case 0x14:
        case 0x15:
        case 0x16:
        case 0x17:
        case 0x18:
        case 0x19:
        case 0x1a:
        case 0x1b:  // floating point and vectors
            out->writes_other = true;
            return;
        case 0x3e:  // ldi
        case 0x3f:  // ldih
            out->reads = bit_of(rb);
            write(ra, out);
            set_sum(rb, kNoRegister, signed_field(word, 0, 16) * (major == 0x3f ? 0x10000 : 1), out);
            return;
        default:
            if (major >= kFirstConditional && major < 0x38) {
                out->reads = bit_of(ra);
            } else if (major < kFirstConditional) {
                set_unknown_effect(out);  // atomic operations, privileged ones
            }
            return;
    }
}

}  // namespace kymo::program::sw_64
