// LoongArch, 64 bits: control flow of instructions. Encodings: LoongArch Reference Manual, volume 1, 2.2.8 and
// appendix B.
#include "program/flow/loongarch64/effect.h"
#include "program/flow/word.h"

namespace kymo::program {
namespace loongarch64 {
namespace {

using Kind = InstructionKind;

// jirl: what it is follows from the registers it names.
Kind kind_of_indirect(std::uint32_t word) {
    const std::uint32_t rd = field(word, 0, 5);
    if (rd == kReturnAddress) {
        return Kind::kIndirectCall;
    }
    const bool is_return = rd == 0 && field(word, 5, 5) == kReturnAddress && field(word, 10, 16) == 0;
    return is_return ? Kind::kReturn : Kind::kIndirectJump;
}

class Loongarch64Decoder final : public WordDecoder {
    bool set_flow(std::uint32_t word, std::uint64_t address, Instruction* out) const override {
        constexpr std::uint32_t kBreak = 0x002a'0000;
        constexpr std::uint32_t kExceptionReturn = 0x0648'3800;
        const auto target = [&](std::int64_t words) { return address + static_cast<std::uint64_t>(words * 4); };
        const std::uint32_t low = field(word, 10, 16);
        const std::uint32_t major = field(word, 26, 6);
        switch (major) {
            case kEqualZero:
            case kNotEqualZero:
            case kFloatCondition:
                if (major == kFloatCondition && field(word, 9, 1) != 0) {
                    return false;
                }
                set_target(Kind::kConditionalJump, target(sign_extended(field(word, 0, 5) << 16U | low, 21)), out);
                return true;
            case kIndirect:
                out->kind = kind_of_indirect(word);
                return true;
            case kJump:
            case kCall:
                set_target(major == kCall ? Kind::kCall : Kind::kJump,
                           target(sign_extended(field(word, 0, 10) << 16U | low, 26)), out);
                return true;
            default:
                break;
        }
        if (major >= kEqual && major <= kAboveOrEqual) {
            set_target(Kind::kConditionalJump, target(sign_extended(low, 16)), out);
        } else if ((word & 0xffff'8000U) == kBreak) {
            out->kind = Kind::kTrap;
        } else if (word == kExceptionReturn) {
            out->kind = Kind::kReturn;
        }
        return word != 0;
    }
    void set_effect(std::uint32_t word, std::uint64_t address, Instruction* out) const override {
        loongarch64::set_effect(word, address, out);
    }
};

}  // namespace
}  // namespace loongarch64

const Decoder& loongarch64_decoder() {
    static const loongarch64::Loongarch64Decoder decoder;
    return decoder;
}

}  // namespace kymo::program
