// The registers that count a loop's rounds: *induction* registers, changed by the same constant once a round and by
// nothing else (Aho, Lam, Sethi and Ullman, Compilers, 2006, section 9.1). Their change between two moments inside
// the loop, by the constant, is the number of rounds in between: progress, known without any counter of the hardware.
//
// Read from the code alone: a general register counts where all that the loop and those inside it do to it is adding
// one constant (calls write what a callee may), never in an inner loop, and exactly once on every way round.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/loops.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kymo::program {

struct Induction {
    std::uint8_t reg = kNoRegister;  // DWARF number
    std::uint8_t bits = 64;          // of the register: 32 or 64; what is above is zero
    std::int64_t step = 0;           // a round; never 0

    // Rounds between two values of the register, modulo its width. None if the difference in the step's direction
    // is not a whole number of steps: the loop was left in between, or the register was not yet set.
    std::optional<std::uint64_t> rounds(std::uint64_t from, std::uint64_t to) const;
    bool operator==(const Induction&) const = default;
};

// All of a loop, by register; of an irreducible one none. `loop`: index of `loops.loops`, found on
// block_digraph(graph). Cost: linear in the loop's instructions, which are decoded, and for each candidate in its
// blocks' edges times their number; loops of more than kInductionInstructions have none.
inline constexpr std::uint32_t kInductionInstructions = 4096;
std::vector<Induction> inductions(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                  const Loops& loops, std::uint32_t loop);

}  // namespace kymo::program
