// RISC-V, 64 bits, with compressed instructions: control flow. Encodings: The RISC-V Instruction Set Manual,
// volume I (20191213), chapters 2 and 16.
#include "program/flow/riscv64/effect.h"
#include "program/flow/word.h"

namespace kymo::program {
namespace riscv64 {
namespace {

using Kind = InstructionKind;

constexpr bool is_link(std::uint32_t reg) {  // x1 and x5: return addresses (2.5)
    return reg == 1 || reg == 5;
}

// jalr: what it is follows from the registers it names (2.5, table 2.1).
Kind kind_of_jalr(std::uint32_t rd, std::uint32_t rs1) {
    if (is_link(rd)) {
        return Kind::kIndirectCall;
    }
    return rd == 0 && is_link(rs1) ? Kind::kReturn : Kind::kIndirectJump;
}

bool set_long(std::uint32_t word, std::uint64_t address, Instruction* out) {
    switch (field(word, 0, 7)) {
        case kBranch:
            set_target(Kind::kConditionalJump, address + static_cast<std::uint64_t>(branch_offset(word)), out);
            return (field(word, 12, 3) & 6U) != 2;
        case kJal:
            set_target(is_link(field(word, 7, 5)) ? Kind::kCall : Kind::kJump,
                       address + static_cast<std::uint64_t>(jump_offset(word)), out);
            return true;
        case kJalr:
            out->kind = kind_of_jalr(field(word, 7, 5), field(word, 15, 5));
            return field(word, 12, 3) == 0;
        case kSystem:
            if (word == kBreak) {
                out->kind = Kind::kTrap;
            } else if (word == kSupervisorReturn || word == kMachineReturn) {
                out->kind = Kind::kReturn;
            }
            return true;
        default:
            return true;
    }
}

bool set_short(std::uint32_t half, std::uint64_t address, Instruction* out) {
    if (half == 0) {  // defined as illegal
        out->kind = Kind::kTrap;
        return true;
    }
    const std::uint32_t rs1 = field(half, 7, 5);
    const std::uint32_t rs2 = field(half, 2, 5);
    switch (field(half, 0, 2) << 3U | field(half, 13, 3)) {
        case kShortJump:
            set_target(Kind::kJump, address + static_cast<std::uint64_t>(short_jump_offset(half)), out);
            return true;
        case kShortBranchZero:
        case kShortBranchNotZero:
            set_target(Kind::kConditionalJump, address + static_cast<std::uint64_t>(short_branch_offset(half)), out);
            return true;
        case kShortRegisters:
            if (rs2 != 0) {
                return true;  // mv, add
            }
            if (rs1 == 0) {
                out->kind = Kind::kTrap;  // ebreak; c.jr x0 is reserved
                return field(half, 12, 1) != 0;
            }
            out->kind = kind_of_jalr(field(half, 12, 1), rs1);
            return true;
        default:
            return true;
    }
}

class Riscv64Decoder final : public Decoder {
  public:
    bool decode_flow(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const override {
        std::uint32_t word = 0;
        return read(bytes, &word, out) && set_flow(word, address, out);
    }
    bool decode(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const override {
        std::uint32_t word = 0;
        if (!read(bytes, &word, out) || !set_flow(word, address, out)) {
            return false;
        }
        if (out->length == 2) {
            set_short_effect(word, out);
        } else {
            set_long_effect(word, address, out);
        }
        return true;
    }
    std::uint8_t alignment() const override { return 2; }

  private:
    static bool set_flow(std::uint32_t word, std::uint64_t address, Instruction* out) {
        return out->length == 2 ? set_short(word, address, out) : set_long(word, address, out);
    }
    // Instructions of more than 32 bits (1.5) are not decoded: no extension that compilers use has them.
    static bool read(std::span<const std::uint8_t> bytes, std::uint32_t* word, Instruction* out) {
        std::uint16_t half = 0;
        if (bytes.size() < sizeof half) {
            return false;
        }
        std::memcpy(&half, bytes.data(), sizeof half);
        *out = {};
        const bool is_short = (half & 3U) != 3;
        if (is_short || (half & 0x1fU) == 0x1f || bytes.size() < sizeof *word) {
            *word = half;
            out->length = sizeof half;
            return is_short;
        }
        std::memcpy(word, bytes.data(), sizeof *word);
        out->length = sizeof *word;
        return true;
    }
};

}  // namespace
}  // namespace riscv64

const Decoder& riscv64_decoder() {
    static const riscv64::Riscv64Decoder decoder;
    return decoder;
}

}  // namespace kymo::program
