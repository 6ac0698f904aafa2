// Recognises loops that only wait. A *polling* loop reads memory repeatedly until it changes, and does nothing
// else: a round changes nothing, so no number of rounds brings it nearer to its end, and only another thread (or
// the kernel) can end it.
//
// Read from the code alone: a loop polls if, in all its blocks,
//   nothing is stored, except by an exchange or a compare-and-exchange of a value that the loop does not compute
//   (trying to take a lock); nothing is called, and no register beside the general ones changes; no general register
//   carries a value from one round to the next (it is written in the loop, and read before that).
// With a pause instruction in it, which compilers never insert by themselves, a register may be carried: a count of
// tries. At least one load is needed, and the loop must be able to end.
//
// A loop reported as polling does poll; loops that poll through calls (sched_yield, code compiled without
// optimisation) are not recognised, nor are those that try to take a lock by a store-exclusive (aarch64 without
// LSE, and the other architectures with such a pair): every exchange is a loop there.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/loops.h"

#include <cstdint>

namespace kymo::program {

// `loop`: index of `loops.loops`, found on block_digraph(graph). Cost: linear in the loop's instructions, which are
// decoded; loops of more than kPollingInstructions do not poll.
inline constexpr std::uint32_t kPollingInstructions = 64;
bool polls(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
           std::uint32_t loop);

}  // namespace kymo::program
