#include "program/flow/flow_graph.h"

#include <algorithm>

namespace kymo::program {

std::uint32_t FlowGraph::block_at(std::uint64_t address) const {
    const auto behind = std::upper_bound(blocks.begin(), blocks.end(), address,
                                         [](std::uint64_t value, const Block& block) { return value < block.begin; });
    if (behind == blocks.begin() || address >= std::prev(behind)->end) {
        return kNoNode;
    }
    return static_cast<std::uint32_t>(std::prev(behind) - blocks.begin());
}

std::uint32_t FlowGraph::instruction_at(const Block& block, std::uint64_t address) const {
    const auto first = instructions.begin() + block.first_instruction;
    const auto behind = std::upper_bound(first, first + block.instructions, address);
    return static_cast<std::uint32_t>(behind - instructions.begin()) - 1;
}

}  // namespace kymo::program
