// What a function does besides computing a result from its arguments: whether it is *pure*, as compilers say.
//
// Read from the code alone, of x86-64 (of other processors nothing is known: not pure): it changes no memory but its
// own part of the stack, calls nothing but itself, and uses no instruction whose result depends on anything but its
// operands (the clock, random numbers).
#pragma once

#include "program/flow/repeated/value_flow.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kymo::program {

struct FunctionEffects {
    bool is_pure = false;
    bool reads_memory = false;  // that may change between calls
    // Registers by bit. Of arguments: general ones and vectors whose value at the begin matters.
    std::uint32_t arguments = 0;
    std::uint32_t vector_arguments = 0;
    std::uint32_t results_by = 0;  // general registers: it writes results of eight bytes at most where they point
    std::uint32_t writes = 0;      // what a caller must expect to change
    std::uint32_t vector_writes = 0;
    // Calls of itself whose arguments are its own ones plus constants, where another such call may follow in the
    // same call. The calls have few different arguments then, and their number grows exponentially: by the
    // instructions' addresses.
    std::vector<std::uint64_t> overlapping_calls;
};

inline constexpr std::uint32_t kEffectInstructions = 4096;  // larger functions are not examined

// Cost: decodes the function a few times. `constants`: memory that never changes.
FunctionEffects function_effects(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                 const CodeBytes& constants, std::uint64_t entry);

}  // namespace kymo::program
