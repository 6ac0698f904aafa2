#include "program/flow/flow_graph.h"

#include "base/last_at_most.h"

#include <algorithm>

namespace kymo::program {

std::uint32_t FlowGraph::block_at(std::uint64_t address) const {
    const Block* const block = last_at_most(blocks, address, &Block::begin);
    if (block == nullptr || address >= block->end) {
        return kNone;
    }
    return static_cast<std::uint32_t>(block - blocks.data());
}

std::uint32_t FlowGraph::instruction_at(const Block& block, std::uint64_t address) const {
    const auto first = instructions.begin() + block.first_instruction;
    const auto behind = std::upper_bound(first, first + block.instructions, address);
    return static_cast<std::uint32_t>(behind - instructions.begin()) - 1;
}

}  // namespace kymo::program
