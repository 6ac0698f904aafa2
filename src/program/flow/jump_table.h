// Reads the table behind an indirect jump: the possible values of the jump's operand.
//
// The last instructions before the jump are evaluated over symbols, along each path to it (a few blocks back, a few
// paths). Recognised is every computation of the forms
//     target = sign- or zero-extended entry of table[index], or base + that,
// with constant table and base: absolute tables of 8- or 4-byte addresses, and the 4-byte offsets relative to a base
// that gcc and clang write for position-independent code. The number of entries comes from an unsigned comparison of
// the index with a constant, or from a mask. A base that was put into a register far ahead (out of a loop) is
// searched for separately. Without a bound, entries are read as long as they point into the function.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/table_budget.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kymo::program {

struct TableTargets {
    JumpTable table;
    std::vector<std::uint64_t> targets;  // in the table's order, double ones kept
};

// `block` of `graph` (which may still lack edges) ends in an indirect jump. `predecessors`: blocks by block.
// Cost: usually some tens of instructions; never more than the budget and max_entries.
std::optional<TableTargets> read_jump_table(const Decoder& decoder, const FlowGraph& graph,
                                            const std::vector<std::vector<std::uint32_t>>& predecessors,
                                            std::uint32_t block, const CodeBytes& code, const CodeBytes& data,
                                            std::uint32_t max_entries, TableBudget* budget);

}  // namespace kymo::program
