// Loops in which a round changes nothing unless the element that it looks at is one of those that something is done
// for: a search for elements that satisfy a condition.
//
// Read from the code alone: on some way round the loop no instruction stores, calls, or carries anything to the next
// round but the registers that count rounds or follow pointers, and a jump on it leads to where the loop does
// something. How often that happens is not known.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/loops.h"
#include "program/flow/two_ways.h"

#include <cstdint>
#include <vector>

namespace kymo::program {

struct IdleLoop {
    std::vector<CodeBetween> idle;    // blocks on such a way
    std::vector<CodeBetween> acting;  // the loop's other blocks, and those of loops inside; at least one
    // These call, or hold loops: they take longer than the few instructions that a processor finishes beside others,
    // at which it is hardly ever interrupted.
    bool acts_long = false;
};

// Of reducible loops that read numbers of 4 bytes and more (text is read byte by byte in any case). `loops`: found on
// block_digraph(graph). Cost: decodes each block once, and some loops' a second time.
std::vector<IdleLoop> idle_loops(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                 const Loops& loops);

}  // namespace kymo::program
