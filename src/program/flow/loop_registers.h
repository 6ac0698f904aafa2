// Which registers a round of a loop needs from the round before.
#pragma once

#include "program/flow/flow_graph.h"

#include <cstdint>
#include <unordered_map>

namespace kymo::program {

// Bit n: general register n.
struct BlockRegisters {
    std::uint32_t writes = 0;
    std::uint32_t reads_first = 0;  // read before written in the block

    void add(std::uint32_t reads, std::uint32_t written) {
        reads_first |= reads & ~writes;
        writes |= written;
    }
};

// By number of the loop's blocks.
using LoopRegisters = std::unordered_map<std::uint32_t, BlockRegisters>;

std::uint32_t written_in(const LoopRegisters& blocks);

// Registers whose value at the header matters to a round. Cost: passes over the blocks' edges, as many as blocks
// follow one another at most.
std::uint32_t live_at_header(const FlowGraph& graph, const LoopRegisters& blocks, std::uint32_t header);

}  // namespace kymo::program
