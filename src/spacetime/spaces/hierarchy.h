// The hierarchy for readers, inside one function: block run ⊂ loop ⊂ loop nest ⊂ function.
//
// A *block run* is a longest straight run of blocks (no jump between) within one loop. A *nest* is an outermost loop
// with loops inside it. A node's space is the union of the spaces below it.
#pragma once

#include "spacetime/spaces/code_space.h"
#include "spacetime/spaces/function_flow.h"
#include "spacetime/spaces/share.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

enum class HierarchyKind : std::uint8_t { kFunction, kLoopNest, kLoop, kBlockRun };

struct HierarchyNode {
    HierarchyKind kind = HierarchyKind::kFunction;
    std::uint32_t parent = 0;
    std::uint32_t loop = kNone;     // of kLoopNest and kLoop: index of the function's loops
    std::uint32_t first_block = 0;  // of kBlockRun; of a loop: its header
    std::uint32_t blocks = 0;       // of kBlockRun
    bool irreducible = false;
    std::vector<ByteRange> ranges;
};

struct Hierarchy {
    std::vector<HierarchyNode> nodes;   // 0: the function; a parent comes before its children
    std::vector<std::uint32_t> run_of;  // by block: node of its block run

    // Sums of a value by block, for every node. Precondition: a value a block.
    std::vector<std::uint64_t> sums(std::span<const std::uint64_t> by_block) const;
    // The smallest node that holds at least this share of the function's sum.
    std::uint32_t smallest_holding(std::span<const std::uint64_t> sums, Share share) const;
};

Hierarchy make_hierarchy(const FunctionFlow& flow);

}  // namespace kymo::spacetime
