// The instructions of a block, decoded one after another.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"

#include <cstdint>

namespace kymo::program {

// Calls visit(address, instruction), in the block's order. False, at the first one that cannot be decoded: the rest
// is left out.
template <typename Visit>
bool each_instruction(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Block& block,
                      const Visit& visit) {
    for (std::uint32_t i = block.first_instruction; i < block.first_instruction + block.instructions; ++i) {
        Instruction in;
        const std::uint64_t address = graph.instructions[i];
        if (!decoder.decode(code.from(address), address, &in)) {
            return false;
        }
        visit(address, in);
    }
    return true;
}

}  // namespace kymo::program
