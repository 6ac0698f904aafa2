// A function's control-flow graph with the data that the pair rule and the hierarchy need, computed once.
#pragma once

#include "base/index.h"
#include "program/flow/flow_graph.h"
#include "program/flow/loops.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

struct FunctionFlow {
    explicit FunctionFlow(program::FlowGraph made);

    program::FlowGraph graph;
    program::Digraph blocks;  // all edges; nodes are blocks
    program::Loops loops;     // by block; the root above them has no loop
    bool irreducible = false;
    std::vector<bool> from_entry;  // by block: reached from the function's first entry
    std::vector<std::vector<std::uint32_t>>
        out_back;  // by block, parallel to blocks.successors: index of the back edge
    std::vector<std::vector<std::uint32_t>> in_back;  // the same for blocks.predecessors
    std::vector<std::uint32_t> back_edge_loop;        // by back edge: the loop whose header it leads to
    std::vector<std::uint32_t> rank;      // by block: a topological order of the edges that are not back edges
    std::vector<std::uint32_t> straight;  // by block: the first block of its run without a jump
};

}  // namespace kymo::spacetime
