// Instruction sets whose instructions are words of 32 bits: their fields, and the decoder that reads the words.
#pragma once

#include "program/flow/decode.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace kymo::program {

static_assert(std::endian::native == std::endian::little, "code is read as the machine's own words");

// `bits` of a word, from bit `low` on.
constexpr std::uint32_t field(std::uint32_t word, unsigned low, unsigned bits) {
    return word >> low & ((std::uint32_t{1} << bits) - 1);
}

// The low `bits` (1 to 64) as a signed number.
constexpr std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
    const unsigned unused = 64 - bits;
    return static_cast<std::int64_t>(value << unused) >> unused;
}

constexpr std::int64_t signed_field(std::uint32_t word, unsigned low, unsigned bits) {
    return sign_extended(field(word, low, bits), bits);
}

// The safe effect of an instruction of which only the length is known.
inline void set_unknown_effect(Instruction* out) {
    out->writes = ~0U;
    out->reads = ~0U;
    out->writes_memory = out->writes_other = out->writes_flags = true;
}

// The parts of a direct branch that are the same everywhere.
inline void set_target(InstructionKind kind, std::uint64_t target, Instruction* out) {
    out->kind = kind;
    out->has_target = true;
    out->target = target;
}

class WordDecoder : public Decoder {
  public:
    bool decode_flow(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const final {
        std::uint32_t word = 0;
        return read(bytes, &word, out) && set_flow(word, address, out);
    }
    bool decode(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const final {
        std::uint32_t word = 0;
        if (!read(bytes, &word, out) || !set_flow(word, address, out)) {
            return false;
        }
        set_effect(word, address, out);
        return true;
    }
    std::uint8_t alignment() const final { return sizeof(std::uint32_t); }

  private:
    // Kind and target. False: the word is not an instruction.
    virtual bool set_flow(std::uint32_t word, std::uint64_t address, Instruction* out) const = 0;
    // The rest, after set_flow().
    virtual void set_effect(std::uint32_t word, std::uint64_t address, Instruction* out) const = 0;

    static bool read(std::span<const std::uint8_t> bytes, std::uint32_t* word, Instruction* out) {
        if (bytes.size() < sizeof *word) {
            return false;
        }
        std::memcpy(word, bytes.data(), sizeof *word);
        *out = {};
        out->length = sizeof *word;
        return true;
    }
};

}  // namespace kymo::program
