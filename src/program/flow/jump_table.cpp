#include "program/flow/jump_table.h"

#include "program/flow/jump_operand.h"

#include <algorithm>
#include <cstring>

namespace kymo::program {
namespace {

constexpr std::size_t kMaxWayBlocks = 6;
constexpr std::size_t kMaxWays = 24;

// A bound by comparison before one by type before none; of two such, the wider, for both ways exist.
bool better(const OperandOnWay& a, const OperandOnWay& b) {
    return std::tuple(a.strong, a.most.has_value(), a.most.value_or(0)) >
           std::tuple(b.strong, b.most.has_value(), b.most.value_or(0));
}

// The best understood of the paths to the end of `block`.
std::optional<OperandOnWay> best_of_ways(JumpOperand& operand, std::uint32_t block,
                                         const std::vector<std::vector<std::uint32_t>>& predecessors) {
    std::vector<std::vector<std::uint32_t>> ways = {{block}};  // newest block first
    std::optional<OperandOnWay> best;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const std::vector<std::uint32_t> way = ways[i];
        const OperandOnWay found = operand.evaluate(way);
        const bool is_table = found.target.kind == SymbolicValue::Kind::kEntry;
        if (is_table && (!best || better(found, *best))) {
            best = found;
        }
        if ((is_table && found.strong) || way.size() >= kMaxWayBlocks) {
            continue;
        }
        for (const std::uint32_t before : predecessors[way.back()]) {
            if (ways.size() >= kMaxWays) {
                break;
            }
            if (std::find(way.begin(), way.end(), before) == way.end()) {
                ways.push_back(way);
                ways.back().push_back(before);
            }
        }
    }
    return best;
}

std::optional<std::uint64_t> read_entry(const CodeBytes& data, const SymbolicValue& table, std::uint64_t index) {
    const auto bytes = data.from(table.table + index * table.entry_bytes);
    if (bytes.size() < table.entry_bytes) {
        return std::nullopt;
    }
    std::uint64_t entry = 0;
    std::memcpy(&entry, bytes.data(), table.entry_bytes);  // little-endian, as every machine with a decoder here
    if (table.entry_is_signed && table.entry_bytes < 8) {
        const unsigned unused = 64U - 8U * table.entry_bytes;
        entry = static_cast<std::uint64_t>(static_cast<std::int64_t>(entry << unused) >> unused);
    }
    return entry * table.entry_scale + table.constant;
}

// Is an instruction decoded there, or nothing yet?
bool can_begin(const FlowGraph& graph, std::uint64_t address) {
    const std::uint32_t block = graph.block_at(address);
    return block == kNone || graph.instructions[graph.instruction_at(graph.blocks[block], address)] == address;
}

}  // namespace

std::optional<TableTargets> read_jump_table(const Decoder& decoder, const FlowGraph& graph,
                                            const std::vector<std::vector<std::uint32_t>>& predecessors,
                                            std::uint32_t block, const CodeBytes& code, const CodeBytes& data,
                                            std::uint32_t max_entries, TableBudget* budget) {
    JumpOperand operand(decoder, graph, predecessors, code, budget);
    const auto found = best_of_ways(operand, block, predecessors);
    if (!found) {
        return std::nullopt;
    }
    const SymbolicValue& table = found->target;
    TableTargets result;
    result.table.jump = graph.last_instruction(graph.blocks[block]);
    result.table.address = table.table;
    result.table.entry_bytes = table.entry_bytes;
    result.table.bounded = found->strong && *found->most < max_entries;
    const std::uint64_t limit = found->most && *found->most < max_entries ? *found->most + 1 : max_entries;
    for (std::uint64_t i = 0; i < limit; ++i) {
        const auto target = read_entry(data, table, i);
        if (!target) {
            break;
        }
        const bool sensible = code.contains(*target) && can_begin(graph, *target);
        if (!sensible && !result.table.bounded) {
            break;
        }
        ++result.table.entries;
        if (sensible) {
            result.targets.push_back(*target);
        }
    }
    if (result.targets.empty()) {
        return std::nullopt;
    }
    return result;
}

}  // namespace kymo::program
