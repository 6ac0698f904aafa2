// The loops of a control-flow graph and their nesting.
//
// A reducible (natural) loop has one header, through which every entry passes. An irreducible one has several
// entries; it is reported as such, with the first of them in depth-first order as header, and not left out. Loops
// nest or are disjoint. Havlak, "Nesting of reducible and irreducible loops", ACM TOPLAS 19(4), 1997.
#pragma once

#include "program/flow/digraph.h"

#include <cstdint>
#include <vector>

namespace kymo::program {

struct Loop {
    std::uint32_t header = 0;
    std::uint32_t parent = kNone;  // the loop around it, an index of Loops::loops
    std::uint32_t depth = 1;       // 1: outermost
    bool irreducible = false;
    std::vector<std::uint32_t> own;  // the header and the nodes that no inner loop holds, ascending
};

struct Loops {
    std::vector<Loop> loops;             // a loop precedes those inside it
    std::vector<std::uint32_t> loop_of;  // by node: the innermost loop that holds it, kNone: none
    std::vector<Digraph::Edge>
        back_edges;        // (latch, header), in depth-first order of the spanning tree, double ones once
    bool gave_up = false;  // a graph made to be slow: loops may be missing. Never so for what compilers make

    bool contains(std::uint32_t loop,
                  std::uint32_t node) const;  // also by way of inner loops. Cost: the nesting depth
};

// Of what `root` reaches. Cost: almost linear for reducible graphs; bounded by 64 steps per node and edge otherwise
// (with at least a million), then gives up.
Loops find_loops(const Digraph& graph, std::uint32_t root);

// The nodes of a loop and of those inside it, of which the number is under `nodes` (a root of its own is left out).
std::vector<std::uint32_t> nodes_of(const Loops& loops, std::uint32_t loop, std::size_t nodes);

// By loop.
std::vector<bool> have_loops_inside(const std::vector<Loop>& loops);

}  // namespace kymo::program
