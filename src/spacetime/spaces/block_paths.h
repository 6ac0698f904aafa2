// The code between two blocks of a function, whatever the offsets in them: the pair rule's middle part.
//
// A *walk* goes from the end of `from` along edges to the beginning of `to` and takes each back edge at most once; it
// may pass through both blocks again. P are the blocks that it passes on some walk, C those on every walk.
// - C: the dominators of the end on the sub-graph of what is reached forwards and backwards (a walk that avoids a
//   block can always be shortened to one that takes no edge twice, so nothing more is needed).
// - P: the forward and backward parts must not need the same back edge. For each block the minimal sets of back
//   edges with which it is reached, and with which the end is reached from it, are kept; the block is in P if two of
//   them are disjoint. A simple way out of a block of a reducible graph takes only back edges of loops around that
//   block, so only those around `from` need be distinguished. More than 64 of them, or more than 32 minimal sets at a
//   block: P is taken to be everything between, and `approximate` is set.
// - The rest P \ C weighs, block by block, its share among the alternatives: those walks that take the fewest back
//   edges, each counting alike. (Walks with needless rounds through loops would count twice for every loop on the
//   way.)
// No path is enumerated. Cost: about linear in the blocks between.
#pragma once

#include "spacetime/spaces/code_space.h"
#include "spacetime/spaces/function_flow.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

struct BlocksBetween {
    bool reachable = false;
    bool approximate = false;
    std::vector<std::uint32_t> common;  // C, in the order in which every walk first meets them
    std::vector<BlockPart> rest;        // P \ C by block; instructions: the mean, see above
};

BlocksBetween blocks_between(const FunctionFlow& flow, std::uint32_t from, std::uint32_t to);

}  // namespace kymo::spacetime
