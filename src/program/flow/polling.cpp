#include "program/flow/polling.h"

#include "program/flow/loop_registers.h"

#include <algorithm>
#include <vector>

namespace kymo::program {
namespace {

struct LoopFacts {
    bool loads = false;
    bool pauses = false;
    bool works = false;         // stores, calls, other registers
    std::uint32_t offered = 0;  // registers whose value is written by an exchange
    LoopRegisters blocks;
};

void add(const Instruction& in, LoopFacts* loop, BlockRegisters* block) {
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
    block->add(reads, in.writes);
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
        BlockRegisters& own = facts.blocks[number];
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
    const std::uint32_t written = written_in(facts.blocks);
    if ((facts.offered & written) != 0) {
        return false;  // it computes what it offers: an update without a lock, which makes progress
    }
    return facts.pauses || (live_at_header(graph, facts.blocks, loops.loops[loop].header) & written) == 0;
}

}  // namespace kymo::program
