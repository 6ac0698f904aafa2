// Reference: Intel SDM volume 2 (instruction formats; Jcc, JMP, CALL, LOOP).
#include "hooks/plan/relocate.h"

#include <Zydis/Zydis.h>
#include <algorithm>
#include <array>
#include <cstring>

namespace kymo::hooks {
namespace {

struct Decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

bool decode(std::span<const std::uint8_t> code, Decoded* out) {
    static const ZydisDecoder decoder = [] {
        ZydisDecoder made;
        ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        return made;
    }();
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &out->instruction, out->operands));
}

bool ends_flow(const ZydisDecodedInstruction& instruction) {
    return instruction.meta.category == ZYDIS_CATEGORY_RET || instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
           instruction.mnemonic == ZYDIS_MNEMONIC_UD2 || instruction.mnemonic == ZYDIS_MNEMONIC_HLT;
}

bool is_padding(const ZydisDecodedInstruction& instruction) {
    return instruction.mnemonic == ZYDIS_MNEMONIC_NOP || instruction.mnemonic == ZYDIS_MNEMONIC_INT3;
}

class Mover {
  public:
    explicit Mover(std::uint64_t offset, PlanEntry* entry) : offset_(offset), entry_(entry) {}

    // The instruction at `at` of the function. Empty: moved.
    std::string move(std::span<const std::uint8_t> code, std::uint8_t at, const Decoded& decoded) {
        const ZydisDecodedInstruction& instruction = decoded.instruction;
        const bool calls = instruction.meta.category == ZYDIS_CATEGORY_CALL;
        if (entry_->instructions == kMaxInstructions || entry_->moved_bytes + (calls ? kCallBytes : 15) > kMaxMoved) {
            return "its first instructions are too many";
        }
        entry_->original_at[entry_->instructions] = at;
        entry_->moved_at[entry_->instructions++] = entry_->moved_bytes;
        if (calls) {
            return move_call(code, at, decoded);
        }
        if ((instruction.attributes & ZYDIS_ATTRIB_IS_RELATIVE) == 0) {
            append(code.subspan(at, instruction.length));
            return {};
        }
        const std::uint64_t behind = offset_ + at + instruction.length;
        if (instruction.raw.imm[0].is_relative != 0) {
            return move_branch(instruction, behind + static_cast<std::uint64_t>(instruction.raw.imm[0].value.s));
        }
        if (instruction.raw.disp.size != 32) {
            return "its first instructions name memory in a way that cannot be moved";
        }
        const std::uint8_t begin = entry_->moved_bytes;
        append(code.subspan(at, instruction.length));
        fix_memory(instruction, begin, behind);
        return {};
    }

  private:
    static constexpr unsigned kCallBytes = 21 + 15;

    // call X  →  call over; int3; over: movl $low, (%rsp); movl $high, 4(%rsp); jmp X
    // The first call is there for the processor's return prediction, which counts calls; its own address is replaced.
    std::string move_call(std::span<const std::uint8_t> code, std::uint8_t at, const Decoded& decoded) {
        const ZydisDecodedInstruction& instruction = decoded.instruction;
        const std::uint64_t behind = offset_ + at + instruction.length;
        if (at + instruction.length < kJumpBytes) {
            return "a call would return to where the hook is";
        }
        for (unsigned i = 0; i < instruction.operand_count; ++i) {
            const ZydisDecodedOperand& operand = decoded.operands[i];
            if (operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
                ((operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_RSP) ||
                 (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == ZYDIS_REGISTER_RSP))) {
                return "its first instructions hold a call that cannot be moved";
            }
        }
        append(std::array<std::uint8_t, 9>{0xe8, 1, 0, 0, 0, 0xcc, 0xc7, 0x04, 0x24});
        append(kFourBytes);
        fix(behind, FixupKind::kLow);
        append(std::array<std::uint8_t, 4>{0xc7, 0x44, 0x24, 0x04});
        append(kFourBytes);
        fix(behind, FixupKind::kHigh);
        entry_->ends_in_call = 1;
        if (instruction.raw.imm[0].is_relative != 0) {
            append(std::array<std::uint8_t, 1>{0xe9});
            append(kFourBytes);
            fix(behind + static_cast<std::uint64_t>(instruction.raw.imm[0].value.s), FixupKind::kDistance);
            return {};
        }
        // FF /2 is a near call, FF /4 the same as a jump.
        constexpr std::uint8_t kRegister = 0x38;
        if (instruction.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT || instruction.opcode != 0xff ||
            (instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) == 0 || instruction.raw.modrm.reg != 2) {
            return "its first instructions hold a call that cannot be moved";
        }
        const std::uint8_t begin = entry_->moved_bytes;
        append(code.subspan(at, instruction.length));
        std::uint8_t& modrm = entry_->moved[begin + instruction.raw.modrm.offset];
        modrm = static_cast<std::uint8_t>((modrm & ~kRegister) | 4U << 3U);
        if ((instruction.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0) {
            fix_memory(instruction, begin, behind);
        }
        return {};
    }

    std::string move_branch(const ZydisDecodedInstruction& instruction, std::uint64_t target) {
        if (instruction.mnemonic == ZYDIS_MNEMONIC_JMP) {
            append(std::array<std::uint8_t, 1>{0xe9});
        } else if (instruction.meta.category == ZYDIS_CATEGORY_COND_BR &&
                   instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (instruction.opcode & 0xf0U) == 0x70) {
            append(std::array<std::uint8_t, 2>{0x0f, static_cast<std::uint8_t>(0x80U | (instruction.opcode & 0xfU))});
        } else if (instruction.opcode_map == ZYDIS_OPCODE_MAP_0F && (instruction.opcode & 0xf0U) == 0x80) {
            append(std::array<std::uint8_t, 2>{0x0f, instruction.opcode});
        } else {
            return "its first instructions hold a jump that cannot be moved";
        }
        append(kFourBytes);
        fix(target, FixupKind::kDistance);
        return {};
    }

    void append(std::span<const std::uint8_t> bytes) {
        std::copy(bytes.begin(), bytes.end(), entry_->moved + entry_->moved_bytes);
        entry_->moved_bytes = static_cast<std::uint8_t>(entry_->moved_bytes + bytes.size());
    }
    static constexpr std::array<std::uint8_t, 4> kFourBytes{};

    // The last four appended bytes, which end their instruction.
    void fix(std::uint64_t target, FixupKind kind) {
        entry_->fixup[entry_->fixups++] = {
            target, static_cast<std::uint8_t>(entry_->moved_bytes - 4), entry_->moved_bytes, kind, {}};
    }
    // Memory named relative to the instruction that begins at `begin` of the moved code.
    void fix_memory(const ZydisDecodedInstruction& instruction, std::uint8_t begin, std::uint64_t behind) {
        entry_->fixup[entry_->fixups++] = {behind + static_cast<std::uint64_t>(instruction.raw.disp.value),
                                           static_cast<std::uint8_t>(begin + instruction.raw.disp.offset),
                                           entry_->moved_bytes,
                                           FixupKind::kDistance,
                                           {}};
    }

    std::uint64_t offset_;
    PlanEntry* entry_;
};
static_assert(kMaxInstructions >= 5, "a call takes three fixups, behind four instructions at most");

}  // namespace

std::string relocate_entry(std::span<const std::uint8_t> code, std::uint64_t offset, std::uint64_t size,
                           PlanEntry* entry) {
    *entry = PlanEntry{};
    entry->offset = offset;
    Mover mover(offset, entry);
    std::uint8_t at = 0;
    bool over = false;      // control does not arrive here from the code before
    bool only_nops = true;  // room left for a patch
    while (at < kJumpBytes) {
        Decoded decoded;
        if (!decode(code.subspan(std::min<std::size_t>(at, code.size())), &decoded)) {
            return "its first bytes do not decode as instructions";
        }
        const ZydisDecodedInstruction& instruction = decoded.instruction;
        const bool inside = at < size;
        if (inside && at + instruction.length > size) {
            return "its first bytes do not decode as instructions";
        }
        if (!inside && (!over || !is_padding(instruction))) {
            return "it is shorter than a jump";
        }
        if (inside && !over) {
            if (const std::string refusal = mover.move(code, at, decoded); !refusal.empty()) {
                return refusal;
            }
            only_nops = only_nops && instruction.mnemonic == ZYDIS_MNEMONIC_NOP;
            over = ends_flow(instruction);
        } else if (inside && !is_padding(instruction)) {
            return "its first instructions end before there is room for a jump";
        }
        at = static_cast<std::uint8_t>(at + instruction.length);
    }
    entry->original_bytes = at;
    std::memcpy(entry->original, code.data(), at);
    if (only_nops) {
        entry->moved_bytes = entry->instructions = 0;
    }
    return {};
}

bool begins_with_padding(std::span<const std::uint8_t> code) {
    Decoded decoded;
    return decode(code, &decoded) && is_padding(decoded.instruction);
}

}  // namespace kymo::hooks
