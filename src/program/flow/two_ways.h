// Jumps inside a loop that stay in it whichever way they go: where samples show whether they are predicted.
//
// A processor that predicted such a jump wrongly has nothing to do until the first instructions of the right way
// come: it is interrupted before these, or behind the first. Where jumps are predicted, the instructions on both
// sides run as those around them do.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/loops.h"

#include <cstdint>
#include <vector>

namespace kymo::program {

struct CodeBetween {
    std::uint64_t begin = 0;  // image offsets
    std::uint64_t end = 0;
    bool operator==(const CodeBetween&) const = default;
};

struct TwoWayJump {
    std::uint64_t jump = 0;
    std::vector<CodeBetween> ways;  // the first two instructions of each, by address, or one where there is no second
    double even = 0;  // their part of the loop's instructions, if all jumps inside go each way equally often
};

struct TwoWayLoop {
    std::vector<CodeBetween> blocks;
    std::vector<TwoWayJump> jumps;  // at least one
};

// Of loops without loops inside. A way counts where its first instruction is no call, no division, and reads no
// memory: at these a processor waits in any case. A jump counts with two such ways and more; `loops`: found on
// block_digraph(graph). Cost: decodes the instructions of those loops once.
std::vector<TwoWayLoop> two_way_loops(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                      const Loops& loops);

}  // namespace kymo::program
