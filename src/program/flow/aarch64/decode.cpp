// aarch64: control flow of instructions. Encodings: Arm Architecture Reference Manual for A-profile (DDI 0487),
// C4.1.
#include "program/flow/aarch64/effect.h"
#include "program/flow/word.h"

namespace kymo::program {
namespace aarch64 {
namespace {

using Kind = InstructionKind;

// C4.1.93: branches, exception generating and system instructions.
bool set_branch(std::uint32_t word, std::uint64_t address, Instruction* out) {
    const auto relative = [&](unsigned low, unsigned bits) {
        return address + static_cast<std::uint64_t>(signed_field(word, low, bits) * 4);
    };
    constexpr std::uint32_t kAlways = 0b1110;  // and 0b1111
    if (field(word, 26, 5) == 0b00101) {       // B, BL
        set_target(field(word, 31, 1) != 0 ? Kind::kCall : Kind::kJump, relative(0, 26), out);
        return true;
    }
    if (field(word, 25, 6) == 0b011010) {  // CBZ, CBNZ
        set_target(Kind::kConditionalJump, relative(5, 19), out);
        return true;
    }
    if (field(word, 25, 6) == 0b011011) {  // TBZ, TBNZ
        set_target(Kind::kConditionalJump, relative(5, 14), out);
        return true;
    }
    switch (field(word, 24, 8)) {
        case 0x54:  // B.cond, BC.cond
            set_target(field(word, 0, 4) >= kAlways ? Kind::kJump : Kind::kConditionalJump, relative(5, 19), out);
            return true;
        case 0x55:  // RETAASPPC, RETABSPPC
            out->kind = Kind::kReturn;
            return true;
        case 0xd4: {  // exceptions
            const std::uint32_t which = field(word, 21, 3);
            out->kind = which == 0b001 || which == 0b010 ? Kind::kTrap : Kind::kPlain;  // BRK, HLT
            return true;
        }
        case 0xd5:  // system
            return true;
        case 0xd6:
        case 0xd7:  // by a register; bit 24: with pointer authentication
            switch (field(word, 21, 3)) {
                case 0b000:
                    out->kind = Kind::kIndirectJump;
                    return true;
                case 0b001:
                    out->kind = Kind::kIndirectCall;
                    return true;
                case 0b010:
                case 0b100:  // ERET
                case 0b101:  // DRPS
                    out->kind = Kind::kReturn;
                    return true;
                default:
                    return false;
            }
        default:
            return false;
    }
}

class Aarch64Decoder final : public WordDecoder {
    bool set_flow(std::uint32_t word, std::uint64_t address, Instruction* out) const override {
        switch (field(word, 25, 4)) {
            case 0b0000:
                if (field(word, 16, 16) == 0) {  // UDF
                    out->kind = Kind::kTrap;
                    return true;
                }
                return field(word, 31, 1) != 0;  // SME
            case 0b0001:
            case 0b0011:
                return false;
            case 0b1010:
            case 0b1011:
                return set_branch(word, address, out);
            default:
                return true;
        }
    }
    void set_effect(std::uint32_t word, std::uint64_t address, Instruction* out) const override {
        aarch64::set_effect(word, address, out);
    }
};

}  // namespace
}  // namespace aarch64

const Decoder& aarch64_decoder() {
    static const aarch64::Aarch64Decoder decoder;
    return decoder;
}

}  // namespace kymo::program
