#include "gpu/sass/instruction.h"

#include "gpu/sass/opcodes.h"

#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::sass {
namespace {

struct Word {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t bits(unsigned at, unsigned count) const {
        const std::uint64_t value = at >= 64 ? high >> (at - 64) : at == 0 ? low : low >> at | high << (64 - at);
        return value & ((std::uint64_t{1} << count) - 1);
    }
};

// Of loads and stores.
const char* width(std::uint64_t bits) {
    constexpr std::array<const char*, 8> kWidths = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".128"};
    return kWidths.at(bits);
}

// Of atomics: the type says how wide.
const char* atomic_width(std::uint64_t bits) {
    constexpr std::array<const char*, 8> kTypes = {"", ".S32", ".64", ".F32", ".F16x2", ".S64", ".F64", ""};
    return kTypes.at(bits);
}

std::string text(std::string_view name, const Word& word) {
    std::string opcode(name);
    if (name == "LD" || name == "LDG" || name == "ST" || name == "STG") {
        opcode += ".E";
    }
    if (name == "LD" || name == "LDG" || name == "LDL" || name == "LDS" || name == "LDC" || name == "ULDC" ||
        name == "ST" || name == "STG" || name == "STL" || name == "STS" || name == "LDGSTS") {
        opcode += width(word.bits(73, 3));
    } else if (name == "ATOM" || name == "ATOMG" || name == "ATOMS" || name == "RED") {
        opcode += atomic_width(word.bits(73, 3));
    } else if (name == "LDSM") {
        opcode += ".16.M88";
    } else if (name == "DEPBAR") {
        opcode += ".LE";
    } else if (name == "BAR" && word.bits(77, 2) == 1) {
        opcode += ".ARV";
    }
    return opcode;
}

// Where a jump goes: its distance counts from the instruction behind it.
std::uint64_t target_of(const Word& word, std::uint64_t pc, unsigned capability) {
    constexpr unsigned kBits = 48;
    std::uint64_t distance = word.bits(34, kBits);  // words of four bytes
    if (capability >= 90) {
        distance = (distance << 8U | word.bits(16, 8)) & ((std::uint64_t{1} << kBits) - 1);
    }
    const auto away = static_cast<std::int64_t>(distance << (64 - kBits)) >> (64 - kBits);
    return pc + kInstructionBytes + static_cast<std::uint64_t>(away) * 4;
}

}  // namespace

Instruction decode_instruction(std::span<const std::uint8_t, kInstructionBytes> bytes, std::uint64_t pc,
                               unsigned capability) {
    Word word{};
    std::memcpy(&word.low, bytes.data(), 8);
    std::memcpy(&word.high, bytes.data() + 8, 8);
    Instruction made;
    made.pc = pc;
    const auto number = static_cast<std::uint16_t>(word.bits(0, 9));
    const std::string_view name = opcode_name(number);
    made.opcode = name.empty() ? fmt::format("OP_{:03X}", word.bits(0, 12)) : text(name, word);
    constexpr std::uint64_t kAlways = 7;  // PT, not negated
    made.guarded = word.bits(12, 4) != kAlways;
    made.control = {true, static_cast<std::uint8_t>(word.bits(105, 4)), static_cast<std::uint8_t>(word.bits(110, 3)),
                    static_cast<std::uint8_t>(word.bits(113, 3)), static_cast<std::uint8_t>(word.bits(116, 6))};
    if (name == "BRA" || name == "JMP") {
        made.way = Way::kJump;
        made.target = target_of(word, pc, capability);
        // BRA also takes a predicate as its operand (87–90), beside the one it executes under.
        made.guarded = made.guarded || word.bits(87, 4) != kAlways;
    } else if (name == "EXIT" || name == "KILL") {
        made.way = Way::kEnd;
        made.guarded = made.guarded || word.bits(87, 4) != kAlways;
    } else if (name == "BRX" || name == "JMX" || name == "RET") {
        made.way = Way::kUnknown;
    }
    return made;
}

}  // namespace kymo::gpu::sass
