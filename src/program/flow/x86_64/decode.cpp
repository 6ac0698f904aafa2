// x86-64 by Zydis 4.
#include "program/flow/decode.h"

#include <Zydis/Zydis.h>
#include <array>
#include <string_view>

namespace kymo::program {
namespace {

// DWARF numbers of RAX … R15 in the order of the encoding (System V ABI, AMD64 supplement, figure 3.36).
constexpr std::array<std::uint8_t, 16> kDwarfNumbers = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
// What a callee may change: RAX RDX RCX RSI RDI R8–R11.
constexpr std::uint32_t kCallerSaved = 0b0000'1111'0011'0111;

bool is_general(ZydisRegister reg) {
    switch (ZydisRegisterGetClass(reg)) {
        case ZYDIS_REGCLASS_GPR8:
        case ZYDIS_REGCLASS_GPR16:
        case ZYDIS_REGCLASS_GPR32:
        case ZYDIS_REGCLASS_GPR64:
            return true;
        default:
            return false;
    }
}

// AH, CH, DH and BH count as their whole register here.
std::uint8_t number_of(ZydisRegister reg) {
    if (!is_general(reg)) {
        return kNoRegister;
    }
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    const ZyanI8 encoded = ZydisRegisterGetId(whole);
    return encoded >= 0 && encoded < 16 ? kDwarfNumbers[static_cast<std::size_t>(encoded)] : kNoRegister;
}

bool is_high_byte(ZydisRegister reg) {
    return reg == ZYDIS_REGISTER_AH || reg == ZYDIS_REGISTER_BH || reg == ZYDIS_REGISTER_CH ||
           reg == ZYDIS_REGISTER_DH;
}

InstructionKind kind_of(const ZydisDecodedInstruction& in) {
    const bool relative =
        in.raw.imm[0].is_relative != 0;  // not the attribute: that one is also set for operands in memory
    switch (in.meta.category) {
        case ZYDIS_CATEGORY_COND_BR:  // jcc, loop, jrcxz, xbegin
            return InstructionKind::kConditionalJump;
        case ZYDIS_CATEGORY_UNCOND_BR:
            if (in.mnemonic != ZYDIS_MNEMONIC_JMP) {
                return InstructionKind::kPlain;  // xabort does nothing outside a transaction
            }
            return relative ? InstructionKind::kJump : InstructionKind::kIndirectJump;
        case ZYDIS_CATEGORY_CALL:
            return relative ? InstructionKind::kCall : InstructionKind::kIndirectCall;
        case ZYDIS_CATEGORY_RET:
        case ZYDIS_CATEGORY_SYSRET:
            return InstructionKind::kReturn;
        default:
            break;
    }
    switch (in.mnemonic) {
        case ZYDIS_MNEMONIC_HLT:
        case ZYDIS_MNEMONIC_INT1:
        case ZYDIS_MNEMONIC_INT3:
        case ZYDIS_MNEMONIC_UD0:
        case ZYDIS_MNEMONIC_UD1:
        case ZYDIS_MNEMONIC_UD2:
            return InstructionKind::kTrap;
        case ZYDIS_MNEMONIC_UIRET:
            return InstructionKind::kReturn;
        default:
            return InstructionKind::kPlain;
    }
}

Condition condition_of(ZydisMnemonic mnemonic) {
    switch (mnemonic) {
        case ZYDIS_MNEMONIC_JNBE:
            return Condition::kAbove;
        case ZYDIS_MNEMONIC_JNB:
            return Condition::kAboveOrEqual;
        case ZYDIS_MNEMONIC_JB:
            return Condition::kBelow;
        case ZYDIS_MNEMONIC_JBE:
            return Condition::kBelowOrEqual;
        case ZYDIS_MNEMONIC_JZ:
            return Condition::kEqual;
        case ZYDIS_MNEMONIC_JNZ:
            return Condition::kNotEqual;
        default:
            return Condition::kOther;
    }
}

MemoryOperand memory_operand(const ZydisDecodedOperand& operand, std::uint64_t behind) {
    MemoryOperand result;
    result.is_read = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    result.is_written = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    result.displacement = operand.mem.disp.value;
    if (operand.mem.base == ZYDIS_REGISTER_RIP || operand.mem.base == ZYDIS_REGISTER_EIP) {
        result.image_relative = true;
        result.displacement = static_cast<std::int64_t>(behind + static_cast<std::uint64_t>(operand.mem.disp.value));
    } else {
        result.base = number_of(operand.mem.base);
    }
    if (operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
        result.index_is_vector = true;
        result.index = static_cast<std::uint8_t>(ZydisRegisterGetId(operand.mem.index));
        result.width = static_cast<std::uint16_t>(operand.element_size / 8);
    } else {
        result.index = number_of(operand.mem.index);
        result.width = static_cast<std::uint16_t>(operand.size / 8);
    }
    result.scale = operand.mem.scale == 0 ? std::uint8_t{1} : operand.mem.scale;
    if (operand.mem.segment == ZYDIS_REGISTER_FS) {
        result.segment = Segment::kFs;
    } else if (operand.mem.segment == ZYDIS_REGISTER_GS) {
        result.segment = Segment::kGs;
    }
    return result;
}

void set_sum(Instruction* out, std::uint8_t source, std::uint8_t source2, std::int64_t constant) {
    out->operation = Operation::kSum;
    out->source = source;
    out->source2 = source2;
    out->constant = constant;
}

// A register's exclusive or with itself: zero, whatever it was.
bool is_zeroing(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
    return in.mnemonic == ZYDIS_MNEMONIC_XOR && in.operand_count_visible == 2 &&
           operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[0].reg.value == operands[1].reg.value;
}

// The effect on a whole 64-bit destination register (32-bit destinations are zero-extended by the processor).
void set_effect(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands, std::uint64_t behind,
                Instruction* out) {
    if (in.mnemonic == ZYDIS_MNEMONIC_CDQE) {
        out->operation = Operation::kSignExtend;
        out->destination = out->source = number_of(ZYDIS_REGISTER_RAX);
        out->bits = 32;
        return;
    }
    if ((in.mnemonic == ZYDIS_MNEMONIC_INC || in.mnemonic == ZYDIS_MNEMONIC_DEC) &&
        operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].size >= 32) {
        out->destination = number_of(operands[0].reg.value);
        set_sum(out, out->destination, kNoRegister, in.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1);
        out->operation = operands[0].size == 64 ? Operation::kSum : Operation::kStep;
        return;
    }
    if (in.operand_count_visible < 2) {
        return;
    }
    const ZydisDecodedOperand& to = operands[0];
    const ZydisDecodedOperand& from = operands[1];
    const auto is_register = [](const ZydisDecodedOperand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && is_general(operand.reg.value);
    };
    const std::uint8_t bits = static_cast<std::uint8_t>(to.size <= 64 ? to.size : 0);

    if (in.mnemonic == ZYDIS_MNEMONIC_CMP && from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        const bool left_is_register = is_register(to) && !is_high_byte(to.reg.value);
        if (left_is_register || to.type == ZYDIS_OPERAND_TYPE_MEMORY) {
            out->operation = Operation::kCompare;
            out->source = left_is_register ? number_of(to.reg.value) : kNoRegister;
            out->bits = bits;
            const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
            out->constant = static_cast<std::int64_t>(from.imm.value.u & mask);
        }
        return;
    }
    if (!is_register(to) || to.size < 32) {
        return;  // a part of the register is kept
    }
    out->destination = number_of(to.reg.value);
    const bool from_register = is_register(from) && !is_high_byte(from.reg.value);
    const std::uint8_t source = from_register ? number_of(from.reg.value) : kNoRegister;
    switch (in.mnemonic) {
        case ZYDIS_MNEMONIC_MOV:
        case ZYDIS_MNEMONIC_MOVZX:
        case ZYDIS_MNEMONIC_MOVSX:
        case ZYDIS_MNEMONIC_MOVSXD: {
            const bool extends_sign = in.mnemonic == ZYDIS_MNEMONIC_MOVSX || in.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
            if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
                const std::uint64_t value = bits == 32 ? from.imm.value.u & 0xffffffffU : from.imm.value.u;
                set_sum(out, kNoRegister, kNoRegister, static_cast<std::int64_t>(value));
            } else if (from_register && from.size == 64) {
                set_sum(out, source, kNoRegister, 0);
            } else if (from_register) {
                out->operation = extends_sign ? Operation::kSignExtend : Operation::kZeroExtend;
                out->source = source;
                out->bits = static_cast<std::uint8_t>(from.size);
            } else if (from.type == ZYDIS_OPERAND_TYPE_MEMORY) {
                out->operation = Operation::kLoad;
                out->bits = static_cast<std::uint8_t>(from.size);
                out->is_signed = extends_sign;
            }
            break;
        }
        case ZYDIS_MNEMONIC_LEA:
            if (from.type == ZYDIS_OPERAND_TYPE_MEMORY) {
                const MemoryOperand address = memory_operand(from, behind);
                if (to.size == 64) {
                    set_sum(out, address.base, address.index, address.displacement);
                    out->scale = address.scale;
                } else if (address.base != kNoRegister && address.index == kNoRegister) {
                    set_sum(out, address.base, kNoRegister, address.displacement);
                    out->operation = Operation::kStep;
                }
            }
            break;
        case ZYDIS_MNEMONIC_XOR:
            if (is_zeroing(in, operands)) {
                set_sum(out, kNoRegister, kNoRegister, 0);
            }
            break;
        case ZYDIS_MNEMONIC_ADD:
        case ZYDIS_MNEMONIC_SUB:
            if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
                const std::uint64_t value = from.imm.value.u;
                set_sum(out, out->destination, kNoRegister,
                        static_cast<std::int64_t>(in.mnemonic == ZYDIS_MNEMONIC_ADD ? value : 0 - value));
                out->operation = to.size == 64 ? Operation::kSum : Operation::kStep;
            } else if (to.size == 64 && from_register && in.mnemonic == ZYDIS_MNEMONIC_ADD) {
                set_sum(out, out->destination, source, 0);
            }
            break;
        case ZYDIS_MNEMONIC_SHL:
            if (to.size == 64 && from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
                out->operation = Operation::kShift;
                out->source = out->destination;
                out->constant = static_cast<std::int64_t>(from.imm.value.u & 63U);
            }
            break;
        case ZYDIS_MNEMONIC_AND:
            if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && from.imm.value.s >= 0) {
                out->operation = Operation::kMask;
                out->source = out->destination;
                out->bits = bits;
                out->constant = from.imm.value.s;
            }
            break;
        default:
            break;
    }
}

std::uint32_t bit_of(ZydisRegister reg) {
    const std::uint8_t number = number_of(reg);
    return number != kNoRegister ? 1U << number : 0U;
}

std::uint32_t vector_bit_of(ZydisRegister reg) {
    switch (ZydisRegisterGetClass(reg)) {
        case ZYDIS_REGCLASS_XMM:
        case ZYDIS_REGCLASS_YMM:
        case ZYDIS_REGCLASS_ZMM:
            return 1U << (static_cast<unsigned>(ZydisRegisterGetId(reg)) & 31U);
        default:
            return 0;
    }
}

// Whether it adds another value to a general register, or joins them by bits.
bool accumulates(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
    switch (in.mnemonic) {
        case ZYDIS_MNEMONIC_ADD:
        case ZYDIS_MNEMONIC_XOR:
        case ZYDIS_MNEMONIC_OR:
        case ZYDIS_MNEMONIC_AND:
            return operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].size >= 32 &&
                   (operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                    (operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                     operands[1].reg.value != operands[0].reg.value));
        default:
            return false;
    }
}

// What an instruction does with a register. Writing a part of one keeps the rest, which counts as reading.
void note_register(const ZydisDecodedOperand& operand, bool is_zeroing, Instruction* out) {
    const bool written = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    const bool read = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    const std::uint32_t bit = bit_of(operand.reg.value);
    if (written) {
        out->writes |= bit;
        const ZydisRegisterClass kind = ZydisRegisterGetClass(operand.reg.value);
        out->writes_other =
            out->writes_other || (bit == 0 && kind != ZYDIS_REGCLASS_FLAGS && kind != ZYDIS_REGCLASS_IP);
        // A part of the register is kept, or all of it where the condition does not hold.
        const bool keeps = operand.size < 32 || (operand.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0;
        out->reads |= keeps ? bit : 0U;
        out->vector_writes |= vector_bit_of(operand.reg.value);
    }
    if (read && !is_zeroing) {
        out->reads |= bit;
        out->vector_reads |= vector_bit_of(operand.reg.value);
    }
}

// Of instructions that write memory: is what they write independent of what was there?
bool is_try(ZydisMnemonic mnemonic) {
    switch (mnemonic) {
        case ZYDIS_MNEMONIC_XCHG:
        case ZYDIS_MNEMONIC_CMPXCHG:
        case ZYDIS_MNEMONIC_BTS:
        case ZYDIS_MNEMONIC_BTR:
            return true;
        default:
            return false;
    }
}

bool is_fused(std::string_view name) {
    return name.starts_with("fmadd") || name.starts_with("fmsub") || name.starts_with("fnmadd") ||
           name.starts_with("fnmsub");
}

// By its name, as AMD64 and Intel document it: [v]add, sub, mul, min, max, f[n]madd, f[n]msub + sd, ss, pd, ps …
VectorWork vector_work_of(std::string_view name) {
    name.remove_prefix(name.starts_with('v') ? 1 : 0);
    const bool is_scalar = name.ends_with("sd") || name.ends_with("ss");
    const bool is_packed = name.ends_with("pd") || name.ends_with("ps");
    if (name.starts_with("padd") || name.starts_with("psub") || name.starts_with("pmul") ||
        name.starts_with("pmadd")) {
        return VectorWork::kPacked;
    }
    const bool is_sum = name.starts_with("add") || name.starts_with("sub");
    const bool is_product = name.starts_with("mul");
    const bool is_least = name.starts_with("min") || name.starts_with("max");
    if (!(is_fused(name) || is_sum || is_product || is_least) || !(is_scalar || is_packed)) {
        return VectorWork::kOther;
    }
    if (is_packed) {
        return VectorWork::kPacked;
    }
    if (is_fused(name)) {
        return name.find("231") != std::string_view::npos ? VectorWork::kScalarSum : VectorWork::kScalarMixed;
    }
    return is_sum ? VectorWork::kScalarSum : is_product ? VectorWork::kScalarProduct : VectorWork::kScalarLeast;
}

// Bits of the numbers that it computes with in floating point; 0: it does not.
std::uint8_t float_bits_of(std::string_view name) {
    name.remove_prefix(name.starts_with('v') ? 1 : 0);
    const bool is_arithmetic = is_fused(name) || name.starts_with("add") || name.starts_with("sub") ||
                               name.starts_with("mul") || name.starts_with("div") || name.starts_with("sqrt") ||
                               name.starts_with("min") || name.starts_with("max");
    if (!is_arithmetic) {
        return 0;
    }
    return name.ends_with("sd") || name.ends_with("pd") ? 64 : name.ends_with("ss") || name.ends_with("ps") ? 32 : 0;
}

struct VectorArithmetic {
    VectorWork work = VectorWork::kOther;
    std::uint8_t float_bits = 0;
};

const VectorArithmetic& vector_arithmetic_of(ZydisMnemonic mnemonic) {
    static const auto table = [] {
        std::array<VectorArithmetic, ZYDIS_MNEMONIC_MAX_VALUE + 1> made{};
        for (std::size_t i = 0; i < made.size(); ++i) {
            const char* const name = ZydisMnemonicGetString(static_cast<ZydisMnemonic>(i));
            if (name != nullptr) {
                made[i] = {vector_work_of(name), float_bits_of(name)};
            }
        }
        return made;
    }();
    return table[static_cast<std::size_t>(mnemonic)];
}

bool is_division(ZydisMnemonic mnemonic) {
    switch (mnemonic) {
        case ZYDIS_MNEMONIC_DIV:
        case ZYDIS_MNEMONIC_IDIV:
        case ZYDIS_MNEMONIC_DIVSS:
        case ZYDIS_MNEMONIC_DIVSD:
        case ZYDIS_MNEMONIC_DIVPS:
        case ZYDIS_MNEMONIC_DIVPD:
        case ZYDIS_MNEMONIC_VDIVSS:
        case ZYDIS_MNEMONIC_VDIVSD:
        case ZYDIS_MNEMONIC_VDIVPS:
        case ZYDIS_MNEMONIC_VDIVPD:
        case ZYDIS_MNEMONIC_SQRTSS:
        case ZYDIS_MNEMONIC_SQRTSD:
        case ZYDIS_MNEMONIC_SQRTPS:
        case ZYDIS_MNEMONIC_SQRTPD:
        case ZYDIS_MNEMONIC_VSQRTSS:
        case ZYDIS_MNEMONIC_VSQRTSD:
        case ZYDIS_MNEMONIC_VSQRTPS:
        case ZYDIS_MNEMONIC_VSQRTPD:
        case ZYDIS_MNEMONIC_FDIV:
        case ZYDIS_MNEMONIC_FDIVP:
        case ZYDIS_MNEMONIC_FDIVR:
        case ZYDIS_MNEMONIC_FDIVRP:
        case ZYDIS_MNEMONIC_FIDIV:
        case ZYDIS_MNEMONIC_FIDIVR:
        case ZYDIS_MNEMONIC_FSQRT:
            return true;
        default:
            return false;
    }
}

// "pxor %xmm0,%xmm0": the register's value before does not matter.
bool is_zeroing_vector(const ZydisDecodedInstruction& in, const ZydisDecodedOperand* operands) {
    switch (in.mnemonic) {
        case ZYDIS_MNEMONIC_PXOR:
        case ZYDIS_MNEMONIC_XORPS:
        case ZYDIS_MNEMONIC_XORPD:
        case ZYDIS_MNEMONIC_VPXOR:
        case ZYDIS_MNEMONIC_VXORPS:
        case ZYDIS_MNEMONIC_VXORPD: {
            const ZydisDecodedOperand& last = operands[in.operand_count_visible - 1];
            const ZydisDecodedOperand& before = operands[in.operand_count_visible - 2];
            return last.type == ZYDIS_OPERAND_TYPE_REGISTER && before.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   last.reg.value == before.reg.value;
        }
        default:
            return false;
    }
}

class X86Decoder final : public Decoder {
  public:
    X86Decoder() { ZydisDecoderInit(&zydis_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }

    bool decode_flow(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const override {
        ZydisDecodedInstruction in;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&zydis_, nullptr, bytes.data(), bytes.size(), &in))) {
            return false;
        }
        *out = {};
        fill_flow(in, address, out);
        return true;
    }

    bool decode(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const override {
        ZydisDecodedInstruction in;
        std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis_, bytes.data(), bytes.size(), &in, operands.data()))) {
            return false;
        }
        *out = {};
        fill_flow(in, address, out);
        out->condition = condition_of(in.mnemonic);
        const std::uint64_t behind = address + in.length;
        const bool is_string =
            in.meta.category == ZYDIS_CATEGORY_STRINGOP || in.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
        const bool is_zero = is_zeroing(in, operands.data());
        for (std::size_t i = 0; i < in.operand_count; ++i) {
            const ZydisDecodedOperand& operand = operands[i];
            const bool written = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
            if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
                note_register(operand, is_zero, out);
            } else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
                out->reads |= bit_of(operand.mem.base);
                out->reads |= operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB ? 0U : bit_of(operand.mem.index);
            }
            if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
                continue;
            }
            out->writes_memory = out->writes_memory || written;
            const bool hidden = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
            if ((!hidden || is_string) && out->memory_operands < out->memory.size()) {
                out->memory[out->memory_operands++] = memory_operand(operand, behind);
            }
        }
        out->is_try = out->writes_memory && is_try(in.mnemonic);
        out->vector_work = vector_arithmetic_of(in.mnemonic).work;
        out->float_bits = vector_arithmetic_of(in.mnemonic).float_bits;
        if (is_zeroing_vector(in, operands.data())) {
            out->vector_reads = 0;
        }
        out->accumulates = accumulates(in, operands.data());
        out->adds = out->accumulates && in.mnemonic == ZYDIS_MNEMONIC_ADD;
        out->multiplies = in.mnemonic == ZYDIS_MNEMONIC_IMUL && in.operand_count_visible == 2;
        out->is_choice = in.meta.category == ZYDIS_CATEGORY_CMOV && operands[0].size >= 32 &&
                         operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
        out->is_division = is_division(in.mnemonic);
        // An exchange with memory is locked without the prefix.
        out->is_locked = (in.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
                         (in.mnemonic == ZYDIS_MNEMONIC_XCHG && out->writes_memory);
        out->is_pause = in.mnemonic == ZYDIS_MNEMONIC_PAUSE || in.mnemonic == ZYDIS_MNEMONIC_TPAUSE ||
                        in.mnemonic == ZYDIS_MNEMONIC_UMWAIT;
        if (out->kind == InstructionKind::kCall || out->kind == InstructionKind::kIndirectCall) {
            out->writes |= kCallerSaved;
            out->writes_memory = true;
        } else if (in.meta.category == ZYDIS_CATEGORY_SYSCALL || in.meta.category == ZYDIS_CATEGORY_INTERRUPT) {
            out->writes |= kCallerSaved;
            out->writes_memory = true;
        }
        if (in.cpu_flags != nullptr) {
            const ZydisAccessedFlags& flags = *in.cpu_flags;
            constexpr ZydisAccessedFlagsMask kUsed = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_ZF;
            out->writes_flags = ((flags.modified | flags.set_0 | flags.set_1 | flags.undefined) & kUsed) != 0;
        }
        if (out->kind == InstructionKind::kIndirectJump || out->kind == InstructionKind::kIndirectCall) {
            out->source =
                operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(operands[0].reg.value) : kNoRegister;
            out->writes_flags = out->writes_flags || out->kind == InstructionKind::kIndirectCall;
            return true;
        }
        out->writes_flags = out->writes_flags || out->kind == InstructionKind::kCall;
        set_effect(in, operands.data(), behind, out);
        return true;
    }

    std::uint8_t alignment() const override { return 1; }

  private:
    static void fill_flow(const ZydisDecodedInstruction& in, std::uint64_t address, Instruction* out) {
        out->kind = kind_of(in);
        out->length = in.length;
        if (in.raw.imm[0].is_relative != 0) {
            out->has_target = true;
            out->target = address + in.length + static_cast<std::uint64_t>(in.raw.imm[0].value.s);
        }
    }

    ZydisDecoder zydis_;
};

}  // namespace

const Decoder& x86_64_decoder() {
    static const X86Decoder decoder;
    return decoder;
}

}  // namespace kymo::program
