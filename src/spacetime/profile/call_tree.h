// The profile in the words of the source: a tree of functions (inlined ones as functions), a table of
// functions and one of lines. The third stage.
//
// Call sites of one function in the same caller are one node; the line shown for a node is the one with
// most of its processor time. Sums are exact: the root's total is the profile's.
#pragma once

#include "program/symbolize.h"
#include "program/symbols.h"
#include "spacetime/load/costs.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

using CallNodeIndex = Index<struct CallNode>;  // of CallTree::nodes

struct CallNode {
    CallNodeIndex parent = CallNodeIndex(0);
    std::uint32_t function = 0;  // index of CallTree::symbols.functions
    NodeKind kind = NodeKind::kFrame;
    bool inlined = false;
    std::uint32_t file = 0;  // the hottest place in this function on this path
    std::uint32_t line = 0;
    std::uint32_t recursion = 1;  // in a folded tree: most levels of itself
    std::uint32_t combined = 0;   // in a folded tree: so many nodes of other processes are this one
};

struct FunctionCosts {
    std::uint32_t function = 0;
    std::uint32_t file = 0;  // its hottest line
    std::uint32_t line = 0;
};

struct LineCosts {
    std::uint32_t function = 0;
    std::uint32_t file = 0;
    std::uint32_t line = 0;
};

struct CallTree {
    program::Symbols symbols;
    std::vector<CallNode> nodes;  // a parent comes before its children; 0 is the root
    CostTable self;               // row: node
    CostTable total;
    std::vector<CallNodeIndex> node_of;  // profile node → call node (of its innermost frame)

    std::vector<FunctionCosts> functions;
    CostTable function_self;   // row: as `functions`
    CostTable function_total;  // a path is counted once, however often the function recurs on it

    std::vector<LineCosts> lines;
    CostTable line_self;
};

// The tree with direct recursion combined: a function that calls itself is one node, with all callees at
// any depth below that. Nodes of `combined` (by node; empty: none), which have one parent, are one, and so are equal
// call paths below them. Only nodes, self and total are filled, and `symbols`, `functions` and `lines` stay empty.
CallTree fold_recursion(const CallTree& tree, const std::vector<bool>& combined = {});

// Names the frames and makes the tables. Cost: linear in the profile's nodes, plus symbolize().
CallTree make_call_tree(const Profile& profile);

// The same with the names given: images parallel to profile.images, offsets those of frames(profile). Pure.
std::vector<program::Request> frames_to_name(const Profile& profile);
CallTree make_call_tree(const Profile& profile, const std::vector<program::Request>& requests,
                        program::Symbols symbols);

}  // namespace kymo::spacetime
