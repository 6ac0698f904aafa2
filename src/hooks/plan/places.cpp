#include "hooks/plan/places.h"

#include "hooks/plan/relocate.h"
#include "program/demangle.h"
#include "program/flow/decode.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::hooks {
namespace {

using program::InstructionKind;

bool begins_at(const program::FlowGraph& graph, std::uint64_t at) {
    return std::binary_search(graph.instructions.begin(), graph.instructions.end(), at);
}

}  // namespace

program::Instruction Places::decode(std::uint64_t at) const {
    program::Instruction instruction;
    if (!code_.decoder()->decode(code_.bytes_at(at), at, &instruction)) {
        return {};
    }
    return instruction;
}

// An indirect jump without a known target may lead anywhere in the function; but one through a slot of the linkage
// table (-fno-plt) leaves it.
std::string Places::why_unknown(const program::FlowGraph& graph) const {
    if (graph.too_large) {
        return "lies in a function whose jumps are not known: it is too large";
    }
    for (const std::uint64_t jump : graph.unresolved) {
        const program::Instruction instruction = decode(jump);
        const bool leaves = instruction.memory_operands == 1 && instruction.memory[0].image_relative &&
                            instruction.memory[0].index == program::kNoRegister;
        if (!leaves) {
            return "lies in a function with an indirect jump that may lead anywhere in it";
        }
    }
    return {};
}

const Places::Flow& Places::flow_at(std::uint64_t offset) {
    const std::uint32_t function = code_.function_at(offset);
    Flow& flow = flows_[function];
    if (flow.graph == nullptr && flow.problem.empty()) {
        flow.graph = function == kNone ? nullptr : code_.flow(function);
        if (flow.graph == nullptr) {
            flow.problem = "lies in no function that is known";
        } else {
            flow.problem = why_unknown(*flow.graph);
            flow.blocks = program::block_digraph(*flow.graph);
        }
    }
    return flow;
}

std::string Places::function_at(std::uint64_t offset) {
    const std::uint32_t function = code_.function_at(offset);
    if (function == kNone) {
        return {};
    }
    const std::string& name = code_.function(function).linkage_name;
    return program::is_mangled(name) ? program::short_name(program::demangle(name.c_str()), SIZE_MAX) : name;
}

std::vector<std::uint64_t> Places::statements(const program::LineTable& table, std::uint32_t file,
                                              std::uint32_t line) {
    const auto block_of = [&](std::uint64_t start) {
        const program::FlowGraph* graph = flow_at(start).graph;
        return graph == nullptr ? kNone : graph->block_at(start);
    };
    std::vector<std::uint64_t> starts;
    for (const program::LineRow& row : table.starts(file, line)) {
        // Rows outside of code belong to functions that the linker has dropped.
        const bool is_again = !row.is_marked && !starts.empty() && block_of(row.offset) != kNone &&
                              code_.function_at(starts.back()) == code_.function_at(row.offset) &&
                              block_of(starts.back()) == block_of(row.offset);
        if (!is_again && !code_.bytes_at(row.offset).empty()) {
            starts.push_back(row.offset);
        }
    }
    // Reached from the line alone.
    std::erase_if(starts, [&](std::uint64_t start) {
        const std::uint32_t block = block_of(start);
        if (block == kNone || flow_at(start).graph->blocks[block].begin != start) {
            return false;
        }
        const Flow& flow = flow_at(start);
        const auto before = flow.blocks.predecessors(block);
        const bool is_own = std::all_of(before.begin(), before.end(), [&](std::uint32_t from) {
            return from < flow.graph->blocks.size() && from != block &&
                   table.is_of(flow.graph->last_instruction(flow.graph->blocks[from]), file, line);
        });
        return is_own && !before.empty();
    });
    const std::vector<std::uint64_t> all = starts;
    std::erase_if(starts, [&](std::uint64_t start) {
        const program::Instruction first = decode(start);
        return first.kind == InstructionKind::kJump && first.target != start &&
               std::binary_search(all.begin(), all.end(), first.target);
    });
    return starts;
}

// The last of the blocks that can only be reached from `block`, by falling through.
std::uint32_t Places::last_led_to(const Flow& flow, std::uint32_t block) {
    for (const auto& blocks = flow.graph->blocks; block + 1 < blocks.size(); ++block) {
        const auto before = flow.blocks.predecessors(block + 1);
        const auto after = flow.graph->edges_of(block);
        const bool goes_on = std::any_of(after.begin(), after.end(), [&](const program::BlockEdge& edge) {
            return edge.to == block + 1 && edge.kind == program::EdgeKind::kFallThrough;
        });
        if (!goes_on || before.size() != 1 || blocks[block].end != blocks[block + 1].begin) {
            break;
        }
    }
    return block;
}

// Whether a path other than through the first instruction leads to [begin, end), of which the block `last` may be
// a part.
bool Places::is_entered(const program::FlowGraph& graph, std::uint32_t last, std::uint64_t begin,
                        std::uint64_t end) const {
    const auto target = std::upper_bound(targets_.begin(), targets_.end(), begin);
    if (target != targets_.end() && *target < end) {
        return true;
    }
    for (std::size_t next = std::size_t{last} + 1; next < graph.blocks.size() && graph.blocks[next].begin < end;
         ++next) {
        if (graph.blocks[next].reached) {
            return true;
        }
    }
    return false;
}

std::string Places::plan(std::uint64_t at, std::uint64_t not_before, PlanEntry* entry) {
    const Flow& flow = flow_at(at);
    if (!flow.problem.empty()) {
        return flow.problem;
    }
    const program::FlowGraph& graph = *flow.graph;
    const std::uint32_t number = graph.block_at(at);
    if (number == kNone || !begins_at(graph, at)) {
        return "is not at the beginning of an instruction";
    }
    const program::Block& block = graph.blocks[number];
    const std::uint32_t last = last_led_to(flow, number);
    const std::uint64_t limit = graph.blocks[last].end;
    std::string reason;
    for (std::uint32_t i = graph.instruction_at(block, at) + 1; i-- > block.first_instruction;) {
        const std::uint64_t begin = graph.instructions[i];
        if (begin < not_before || begin + kJumpBytes <= at) {
            break;
        }
        if (!block.reached && begins_with_padding(code_.bytes_at(begin))) {
            break;  // the code behind it may be entered in unknown ways (linkage code)
        }
        std::string refusal = relocate_entry(code_.bytes_at(begin), begin, limit - begin, entry);
        const std::uint64_t end = begin + entry->original_bytes;
        if (refusal.empty() && end > at && !is_entered(graph, last, begin, end)) {
            entry->is_place = 1;
            return {};
        }
        if (reason.empty()) {
            const std::uint64_t left = limit - begin;
            reason = left < kJumpBytes
                         ? fmt::format("is {} bytes before where other jumps lead, a hook takes {}", left, kJumpBytes)
                     : refusal.empty() ? "is too near to where other jumps lead"
                                       : std::move(refusal);
        }
    }
    return reason.empty() ? "is too near to another hook" : reason;
}

bool Places::leads_straight(std::uint64_t from, std::uint64_t to) {
    const program::FlowGraph* graph = flow_at(from).graph;
    if (graph == nullptr || from > to || graph->block_at(from) == kNone ||
        graph->block_at(from) != graph->block_at(to)) {
        return false;
    }
    const program::Block& block = graph->blocks[graph->block_at(from)];
    for (std::uint32_t i = graph->instruction_at(block, from); graph->instructions[i] < to; ++i) {
        const InstructionKind kind = decode(graph->instructions[i]).kind;
        if (kind != InstructionKind::kPlain) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::hooks
