// Control-flow graphs drawn by hand: blocks of so many instructions of four bytes, one after another from 0x1000, and
// edges.
#pragma once

#include "spacetime/spaces/function_flow.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

constexpr std::uint64_t kBase = 0x1000;

// A block whose only edge leads to the next one falls through; every other ends in a jump.
inline program::FlowGraph draw(const std::vector<std::uint32_t>& instructions,
                               const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    program::FlowGraph graph;
    std::uint64_t address = kBase;
    for (std::uint32_t block = 0; block < instructions.size(); ++block) {
        program::Block at;
        at.begin = address;
        at.first_instruction = static_cast<std::uint32_t>(graph.instructions.size());
        at.instructions = instructions[block];
        at.first_edge = static_cast<std::uint32_t>(graph.edges.size());
        at.reached = true;
        for (std::uint32_t i = 0; i < instructions[block]; ++i) {
            graph.instructions.push_back(address);
            address += 4;
        }
        at.end = address;
        for (const auto& [from, to] : edges) {
            if (from == block) {
                graph.edges.push_back({to, program::EdgeKind::kJump});
            }
        }
        at.edges = static_cast<std::uint32_t>(graph.edges.size()) - at.first_edge;
        at.how = at.edges == 0   ? program::BlockEnd::kReturn
                 : at.edges == 1 ? program::BlockEnd::kJump
                                 : program::BlockEnd::kConditionalJump;
        if (at.edges == 1 && graph.edges.back().to == block + 1) {
            at.how = program::BlockEnd::kFallThrough;
        }
        graph.blocks.push_back(at);
    }
    graph.entries = {0};
    return graph;
}

// The address of an instruction of a block.
inline std::uint64_t at(const FunctionFlow& flow, std::uint32_t block, std::uint32_t instruction) {
    return flow.graph.blocks[block].begin + std::uint64_t{4} * instruction;
}

}  // namespace kymo::spacetime
