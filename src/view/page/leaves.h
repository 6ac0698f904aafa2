// What the page charges time to: a *leaf* is a place in the source on a call path, that is a node of the page's call
// tree and the line in it. Time spent on call paths too small to be kept belongs to the nearest kept caller's leaf.
//
// Of a job of many ranks the nodes of all of them are one, and so are equal call paths below them.
//
// Leaves are numbered by time, most first, so that the common ones have small numbers. Leaf 0 is "no call path".
#pragma once

#include "program/symbolize.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::view {

// A line of a function, by the addresses that were sampled in it.
struct LeafLine {
    std::uint32_t function = 0;  // index of CallTree::symbols.functions
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::uint32_t image = 0;
    std::uint64_t first = 0;  // least and greatest sampled image offset
    std::uint64_t last = 0;
};

struct Leaf {
    std::uint32_t node = 0;  // index of Leaves::nodes
    std::uint32_t line = 0;  // index of Leaves::lines
};

struct Leaves {
    std::vector<spacetime::CallNodeIndex> nodes;  // the kept ones, a parent before its children; [0]: the root
    std::vector<std::uint32_t> parents;           // parallel: index of `nodes`
    std::vector<std::uint32_t> kept;              // call node → index of `nodes`: itself or its nearest kept ancestor
    // Call node → itself, or the equal one of an earlier rank, which stands for both in `nodes`.
    std::vector<spacetime::CallNodeIndex> same;
    std::uint32_t ranks = 0;             // index of `nodes`: the one node of all ranks; 0: none
    std::vector<LeafLine> lines;         // [0]: unknown
    std::vector<Leaf> leaves;            // [0]: the root, unknown line
    std::vector<std::uint32_t> leaf_of;  // profile node → leaf
};

// `requests`: those that the tree's symbols answer. `most_nodes`: call nodes to keep at most; nodes under a
// share are dropped until they fit.
Leaves make_leaves(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                   const std::vector<program::Request>& requests, std::size_t most_nodes);

}  // namespace kymo::view
