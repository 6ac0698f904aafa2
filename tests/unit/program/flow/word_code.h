// Instructions of architectures whose instructions are words, for tests: decoded alone, and as a function's code.
#pragma once

#include "program/flow/decode.h"

#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

namespace kymo::program {

inline std::vector<std::uint8_t> code_of(std::initializer_list<std::uint32_t> words) {
    std::vector<std::uint8_t> bytes(4 * words.size());
    std::memcpy(bytes.data(), words.begin(), bytes.size());
    return bytes;
}

inline Instruction decoded_word(const Decoder& decoder, std::uint32_t word, std::uint64_t address) {
    const auto bytes = code_of({word});
    Instruction in;
    Instruction flow;
    EXPECT_TRUE(decoder.decode(bytes, address, &in)) << std::hex << word;
    EXPECT_TRUE(decoder.decode_flow(bytes, address, &flow)) << std::hex << word;
    EXPECT_EQ(in.length, 4) << std::hex << word;
    EXPECT_EQ(flow.length, 4) << std::hex << word;
    EXPECT_EQ(in.kind, flow.kind) << std::hex << word;
    EXPECT_EQ(in.has_target, flow.has_target) << std::hex << word;
    EXPECT_EQ(in.target, flow.target) << std::hex << word;
    return in;
}

// A word, where control goes, and for direct ones to which address.
struct WordFlow {
    std::uint32_t word;
    InstructionKind kind;
    std::uint64_t target = 0;
};

inline void expect_flow(const Decoder& decoder, std::uint64_t address, std::initializer_list<WordFlow> cases) {
    for (const WordFlow& each : cases) {
        const Instruction in = decoded_word(decoder, each.word, address);
        EXPECT_EQ(in.kind, each.kind) << std::hex << each.word;
        EXPECT_EQ(in.has_target, each.target != 0) << std::hex << each.word;
        EXPECT_EQ(in.target, each.target) << std::hex << each.word;
    }
}

inline bool decodes(const Decoder& decoder, std::uint32_t word) {
    Instruction in;
    const auto bytes = code_of({word});
    const bool whole = decoder.decode(bytes, 0, &in);
    EXPECT_EQ(decoder.decode_flow(bytes, 0, &in), whole) << std::hex << word;
    return whole;
}

}  // namespace kymo::program
