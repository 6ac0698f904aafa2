#include "program/flow/loop_registers.h"

namespace kymo::program {

std::uint32_t written_in(const LoopRegisters& blocks) {
    std::uint32_t written = 0;
    for (const auto& [block, own] : blocks) {
        written |= own.writes;
    }
    return written;
}

std::uint32_t live_at_header(const FlowGraph& graph, const LoopRegisters& blocks, std::uint32_t header) {
    std::unordered_map<std::uint32_t, std::uint32_t> live;
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [block, own] : blocks) {
            std::uint32_t after = 0;
            for (const BlockEdge& edge : graph.edges_of(block)) {
                after |= edge.to != header && blocks.contains(edge.to) ? live[edge.to] : 0U;
            }
            const std::uint32_t now = own.reads_first | (after & ~own.writes);
            changed = changed || now != live[block];
            live[block] = now;
        }
    }
    return live[header];
}

}  // namespace kymo::program
