#include "program/instruction_text.h"

#include <Zydis/Zydis.h>
#include <cstring>
#include <fmt/format.h>

namespace kymo::program {
namespace {

std::string intel_text(std::span<const std::uint8_t> bytes, std::uint64_t address) {
    struct Formatter {
        Formatter() {
            ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
            ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
        }
        ZydisDecoder decoder;
        ZydisFormatter formatter;
    };
    static const Formatter made;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    char line[160];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&made.decoder, bytes.data(), bytes.size(), &instruction, operands)) ||
        !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&made.formatter, &instruction, operands,
                                                      instruction.operand_count_visible, line, sizeof line, address,
                                                      nullptr))) {
        return {};
    }
    return line;
}

const char* words_for(InstructionKind kind) {
    switch (kind) {
        case InstructionKind::kJump:
            return "jump to";
        case InstructionKind::kConditionalJump:
            return "conditional jump to";
        case InstructionKind::kIndirectJump:
            return "indirect jump";
        case InstructionKind::kCall:
            return "call of";
        case InstructionKind::kIndirectCall:
            return "indirect call";
        case InstructionKind::kReturn:
            return "return";
        case InstructionKind::kTrap:
            return "trap";
        default:
            return "";
    }
}

}  // namespace

std::size_t InstructionText::length(std::span<const std::uint8_t> bytes) const {
    Instruction instruction;
    return decoder != nullptr && decoder->decode_flow(bytes, 0, &instruction) ? instruction.length : 0;
}

std::string InstructionText::text(std::span<const std::uint8_t> bytes, std::uint64_t address) const {
    if (decoder == &x86_64_decoder()) {
        return intel_text(bytes, address);
    }
    Instruction instruction;
    if (decoder == nullptr || !decoder->decode_flow(bytes, address, &instruction)) {
        return {};
    }
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data(), std::min<std::size_t>(instruction.length, sizeof bits));
    std::string text = fmt::format("{:0{}x}", bits, 2 * instruction.length);
    if (const std::string_view words = words_for(instruction.kind); !words.empty()) {
        text += fmt::format("  {}", words);
    }
    if (instruction.has_target) {
        text += fmt::format(" {:#x}", instruction.target);
    }
    return text;
}

}  // namespace kymo::program
