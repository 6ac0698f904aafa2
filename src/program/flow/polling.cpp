#include "program/flow/polling.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace kymo::program {
namespace {

struct BlockFacts {
    std::uint32_t writes = 0;
    std::uint32_t reads_first = 0;  // read before written in the block
};

struct LoopFacts {
    bool loads = false;
    bool pauses = false;
    bool works = false;         // stores, calls, other registers
    std::uint32_t offered = 0;  // registers whose value is written by an exchange
    std::unordered_map<std::uint32_t, BlockFacts> blocks;
};

void add(const Instruction& in, LoopFacts* loop, BlockFacts* block) {
    const bool is_call = in.kind == InstructionKind::kCall || in.kind == InstructionKind::kIndirectCall;
    loop->works = loop->works || is_call || in.writes_other || (in.writes_memory && !in.is_try);
    loop->pauses = loop->pauses || in.is_pause;
    for (std::size_t i = 0; i < in.memory_operands; ++i) {
        loop->loads = loop->loads || in.memory[i].is_read;
    }
    std::uint32_t reads = in.reads;
    if (in.is_try) {
        // A failed try changes its own operands without computing anything. The registers of the address and of
        // the compared value do not count; what is left is the stored value.
        std::uint32_t address = 0;
        for (std::size_t i = 0; i < in.memory_operands; ++i) {
            for (const std::uint8_t part : {in.memory[i].base, in.memory[i].index}) {
                address |= part != kNoRegister ? 1U << part : 0U;
            }
        }
        loop->offered |= reads & ~address & ~in.writes;
    }
    block->reads_first |= reads & ~block->writes;
    block->writes |= in.writes;
}

// Registers whose value at the header matters to a round.
std::uint32_t live_at_header(const FlowGraph& graph, const LoopFacts& facts, std::uint32_t header) {
    std::unordered_map<std::uint32_t, std::uint32_t> live;
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [block, own] : facts.blocks) {
            std::uint32_t after = 0;
            for (const BlockEdge& edge : graph.edges_of(block)) {
                after |= edge.to != header && facts.blocks.contains(edge.to) ? live[edge.to] : 0U;
            }
            const std::uint32_t now = own.reads_first | (after & ~own.writes);
            changed = changed || now != live[block];
            live[block] = now;
        }
    }
    return live[header];
}

}  // namespace

bool polls(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
           std::uint32_t loop) {
    const std::vector<std::uint32_t> inside = nodes_of(loops, loop, graph.blocks.size());
    LoopFacts facts;
    std::uint32_t instructions = 0;
    bool can_end = false;
    for (const std::uint32_t block : inside) {
        instructions += graph.blocks[block].instructions;
    }
    if (instructions > kPollingInstructions) {
        return false;
    }
    for (const std::uint32_t number : inside) {
        const Block& block = graph.blocks[number];
        BlockFacts& own = facts.blocks[number];
        for (std::uint32_t i = block.first_instruction; i < block.first_instruction + block.instructions; ++i) {
            Instruction in;
            const std::uint64_t address = graph.instructions[i];
            if (!decoder.decode(code.from(address), address, &in)) {
                return false;
            }
            add(in, &facts, &own);
        }
        can_end = can_end || block.leaves || block.how == BlockEnd::kReturn;
        for (const BlockEdge& edge : graph.edges_of(number)) {
            can_end = can_end || std::find(inside.begin(), inside.end(), edge.to) == inside.end();
        }
    }
    if (facts.works || !facts.loads || !can_end) {
        return false;
    }
    std::uint32_t written = 0;
    for (const auto& [block, own] : facts.blocks) {
        written |= own.writes;
    }
    if ((facts.offered & written) != 0) {
        return false;  // it computes what it offers: an update without a lock, which makes progress
    }
    return facts.pauses || (live_at_header(graph, facts, loops.loops[loop].header) & written) == 0;
}

}  // namespace kymo::program
