#include "program/flow/induction.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace kymo::program {
namespace {

constexpr unsigned kWritable = 32;  // bits of Instruction::writes

// All that the loop's instructions do to one register.
struct Writers {
    std::uint32_t count = 0;
    bool only_steps = true;             // adds the same constant each time
    Induction steps;                    // of the first
    std::vector<std::uint32_t> blocks;  // of each, ascending by instruction
};

void note(const Instruction& in, std::uint32_t block, std::array<Writers, kWritable>* writers) {
    const bool is_sum = in.operation == Operation::kSum || in.operation == Operation::kStep;
    for (std::uint8_t reg = 0; reg < kWritable; ++reg) {
        if ((in.writes >> reg & 1U) == 0) {
            continue;
        }
        Writers& own = (*writers)[reg];
        const bool is_step = is_sum && in.destination == reg && in.source == reg && in.source2 == kNoRegister;
        const Induction step{reg, static_cast<std::uint8_t>(in.operation == Operation::kSum ? 64 : 32), in.constant};
        own.only_steps = own.only_steps && is_step && (own.count == 0 || own.steps == step);
        own.steps = step;
        own.blocks.push_back(block);
        ++own.count;
    }
}

// Does every way from the loop's header round to it pass exactly one of these blocks' writes? On the graph without
// back edges: the fewest and the most that lie on a way to each block.
bool once_a_round(const FlowGraph& graph, const Loops& loops, std::uint32_t loop,
                  const std::vector<std::uint32_t>& inside, const std::vector<std::uint32_t>& writes) {
    constexpr std::uint32_t kMany = 2;
    struct Passed {
        std::uint32_t least = kMany + 1;  // not reached
        std::uint32_t most = 0;
    };
    const std::uint32_t header = loops.loops[loop].header;
    std::unordered_map<std::uint32_t, Passed> behind;
    const auto in_block = [&](std::uint32_t block) {
        return static_cast<std::uint32_t>(std::count(writes.begin(), writes.end(), block));
    };
    const auto is_back = [&](std::uint32_t from, std::uint32_t to) {
        return std::find(loops.back_edges.begin(), loops.back_edges.end(), Digraph::Edge{from, to}) !=
               loops.back_edges.end();
    };
    behind[header] = {std::min(in_block(header), kMany), std::min(in_block(header), kMany)};
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::uint32_t from : inside) {
            const auto known = behind.find(from);
            if (known == behind.end()) {
                continue;
            }
            const Passed passed = known->second;
            for (const BlockEdge& edge : graph.edges_of(from)) {
                if (is_back(from, edge.to) || std::find(inside.begin(), inside.end(), edge.to) == inside.end()) {
                    continue;
                }
                Passed& next = behind[edge.to];
                const Passed before = next;
                next.least = std::min(next.least, std::min(passed.least + in_block(edge.to), kMany));
                next.most = std::max(next.most, std::min(passed.most + in_block(edge.to), kMany));
                changed = changed || next.least != before.least || next.most != before.most;
            }
        }
    }
    return std::all_of(loops.back_edges.begin(), loops.back_edges.end(), [&](const Digraph::Edge& edge) {
        const auto latch = behind.find(edge.first);
        return edge.second != header ||
               (latch != behind.end() && latch->second.least == 1 && latch->second.most == 1);
    });
}

}  // namespace

std::optional<std::uint64_t> Induction::rounds(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    std::uint64_t way = step < 0 ? from - to : to - from;
    if (bits == 32) {
        way &= 0xffff'ffffU;
    }
    const bool is_back = (way >> (bits - 1U) & 1U) != 0;
    if (size == 0 || is_back || way % size != 0) {
        return std::nullopt;
    }
    return way / size;
}

std::vector<Induction> inductions(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                  const Loops& loops, std::uint32_t loop) {
    const std::vector<std::uint32_t> inside = nodes_of(loops, loop, graph.blocks.size());
    std::uint32_t instructions = 0;
    for (const std::uint32_t block : inside) {
        instructions += graph.blocks[block].instructions;
    }
    if (instructions > kInductionInstructions || loops.loops[loop].irreducible) {
        return {};
    }
    std::array<Writers, kWritable> writers{};
    for (const std::uint32_t number : inside) {
        const Block& block = graph.blocks[number];
        for (std::uint32_t i = block.first_instruction; i < block.first_instruction + block.instructions; ++i) {
            Instruction in;
            const std::uint64_t address = graph.instructions[i];
            if (!decoder.decode(code.from(address), address, &in)) {
                return {};
            }
            note(in, number, &writers);
        }
    }
    std::vector<Induction> found;
    for (const Writers& own : writers) {
        const bool is_own = std::all_of(own.blocks.begin(), own.blocks.end(),
                                        [&](std::uint32_t block) { return loops.loop_of[block] == loop; });
        if (own.count != 0 && own.only_steps && own.steps.step != 0 && is_own &&
            once_a_round(graph, loops, loop, inside, own.blocks)) {
            found.push_back(own.steps);
        }
    }
    return found;
}

}  // namespace kymo::program
