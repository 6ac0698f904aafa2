// Instructions on which work itself is slow, as far as the code alone says so.
//
// A processor is interrupted before the oldest instruction that is not complete, or behind it: time at a slow
// instruction or at the one behind it is counted as that one's.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/loops.h"

#include <cstdint>
#include <vector>

namespace kymo::program {

enum class SlowWork : std::uint8_t {
    kNone,
    kDivision,     // dividing or extracting a root: ten cycles and more each, one at a time
    kAtomic,       // a locked change of memory: some 20 cycles alone, hundreds where other processors change it too
    kStrided,      // a loop's load or store that moves by a cache line or more each round, of which at most a quarter
                   // is used
    kSerialSum,    // a loop that adds to one register (or multiplies it) round by round, in floating point, and does
                   // little else: each addition waits for the one before
    kScalarWork,   // a loop over arrays in order that computes one number at a time, though nothing in it needs the
                   // round before, but for a sum: vectors would do two to sixteen. Its instructions take longer than
                   // its data, wherever that comes from
    kScalarLoop,   // likewise, where the data may take longer
    kChainedLoad,  // a loop's load whose address comes from what it read the round before: no two at a time. Not
                   // where that was a byte, where eight bits of it were kept, or where the round jumps by an address
                   // to one of several cases
    kSearch,       // a loop that goes through elements until one equals a value (search_loop.h)
    kSearchByCall,  // likewise, until a call returns 0: slow where that compares
};

struct SlowInstruction {
    std::uint64_t begin = 0;  // image offset
    std::uint64_t end = 0;    // behind the instruction that follows it in its block
    SlowWork work{};
};

inline constexpr std::int64_t kCacheLine = 64;
inline constexpr std::uint32_t kSlowLoopInstructions = 512;  // the loads of longer loops are not examined

// All of a function, by address; their ranges do not overlap. Loads are examined in loops without loops inside.
// `loops`: found on block_digraph(graph). Only the x86-64 decoder tells divisions and locked instructions. Cost:
// decodes the function, and its innermost loops four times. Whether arrays overlap is not known; a sum that goes
// through several registers in an unrolled loop is not seen.
std::vector<SlowInstruction> slow_instructions(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                               const Loops& loops);

}  // namespace kymo::program
