// sw_64 (Sunway): control flow of instructions. docs/porting.md has the sources of the encodings and what is not
// verified.
#include "program/flow/sw_64/effect.h"
#include "program/flow/word.h"

namespace kymo::program {
namespace sw_64 {
namespace {

// Majors that no published table holds.
constexpr bool is_reserved(std::uint32_t major) {
    return major == 0x1d || major == 0x1e || major == 0x1f;
}

class Sw64Decoder final : public WordDecoder {
    bool set_flow(std::uint32_t word, std::uint64_t address, Instruction* out) const override {
        const std::uint32_t major = field(word, 26, 6);
        const std::uint64_t target = address + 4 + static_cast<std::uint64_t>(signed_field(word, 0, 21) * 4);
        switch (major) {
            case kCall:
                out->kind = InstructionKind::kIndirectCall;
                return true;
            case kReturn:
            case kPrivilegedReturn:
                out->kind = InstructionKind::kReturn;
                return true;
            case kJump:
                out->kind = InstructionKind::kIndirectJump;
                return true;
            case kBranch:
                set_target(InstructionKind::kJump, target, out);
                return true;
            case kBranchCall:
                set_target(InstructionKind::kCall, target, out);
                return true;
            case kMiscellaneous:
                out->kind = (word & 0xfc00'ffffU) == kHalt ? InstructionKind::kTrap : InstructionKind::kPlain;
                return true;
            default:
                if (major >= kFirstConditional && major <= kLastConditional) {
                    set_target(InstructionKind::kConditionalJump, target, out);
                }
                return !is_reserved(major);
        }
    }
    void set_effect(std::uint32_t word, std::uint64_t /*address*/, Instruction* out) const override {
        sw_64::set_effect(word, out);
    }
};

}  // namespace
}  // namespace sw_64

const Decoder& sw_64_decoder() {
    static const sw_64::Sw64Decoder decoder;
    return decoder;
}

}  // namespace kymo::program
