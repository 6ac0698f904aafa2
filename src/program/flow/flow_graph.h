// The control-flow graph of one function: its basic blocks, by address, and the successors of each.
//
// A *basic block* is a longest run of instructions entered only at its first and left only behind its last. Calls
// do not end one, unless the callee is known not to return. Jumps that leave the function's extents (tail calls,
// jumps into a part the caller did not pass) have no edge; the block is marked as leaving.
//
// Instructions are found by following control from the entries; code that is not reached (landing pads of
// exceptions, targets of indirect jumps that could not be read, padding) is decoded from the first byte not yet
// decoded, and its blocks have `reached == false`. A jump into an instruction (over a lock prefix) counts as one
// to its beginning.
#pragma once

#include "program/flow/digraph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::program {

enum class EdgeKind : std::uint8_t { kFallThrough, kJump, kTable };

struct BlockEdge {
    std::uint32_t to = 0;  // block
    EdgeKind kind = EdgeKind::kFallThrough;
    bool operator==(const BlockEdge&) const = default;
};

enum class BlockEnd : std::uint8_t {
    kFallThrough,  // the next block begins: something jumps there
    kJump,
    kConditionalJump,
    kIndirectJump,
    kReturn,
    kTrap,
    kNoReturnCall,
    kCut,  // the extents end, or the following bytes are not an instruction
};

struct Block {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;                // behind its last instruction
    std::uint32_t first_instruction = 0;  // index of FlowGraph::instructions
    std::uint32_t instructions = 0;       // at least 1
    std::uint32_t first_edge = 0;         // index of FlowGraph::edges
    std::uint32_t edges = 0;
    BlockEnd how = BlockEnd::kFallThrough;
    bool leaves = false;   // also leaves the function: tail call, return, unresolved jump
    bool reached = false;  // from an entry
};

// A jump table that was read.
struct JumpTable {
    std::uint64_t jump = 0;     // the indirect jump
    std::uint64_t address = 0;  // of the table
    std::uint8_t entry_bytes = 0;
    std::uint32_t entries = 0;
    bool bounded = false;  // by a comparison before it; otherwise it was read for as long as its entries made sense
};

struct FlowGraph {
    std::vector<Block> blocks;                // by address
    std::vector<BlockEdge> edges;             // each block's, one after another; a table's targets once each
    std::vector<std::uint64_t> instructions;  // where each begins, ascending
    std::vector<std::uint32_t> entries;       // blocks of the entries that were given
    std::vector<JumpTable> tables;
    std::vector<std::uint64_t>
        unresolved;  // indirect jumps of which no target is known (tail calls through a pointer too)
    std::uint32_t undecodable_bytes = 0;
    std::uint32_t overlaps = 0;  // jumps into instructions
    bool too_large = false;      // more bytes than FlowOptions::max_bytes: nothing was decoded

    std::span<const BlockEdge> edges_of(std::uint32_t block) const {
        return std::span(edges).subspan(blocks[block].first_edge, blocks[block].edges);
    }
    // The block that holds an address; kNone where none does. Cost: binary search.
    std::uint32_t block_at(std::uint64_t address) const;
    // Index of the instruction that holds an address of a block. Precondition: the block holds it.
    std::uint32_t instruction_at(const Block& block, std::uint64_t address) const;
    std::uint64_t last_instruction(const Block& block) const {
        return instructions[block.first_instruction + block.instructions - 1];
    }
    std::uint64_t instruction_end(const Block& block, std::uint32_t index) const {
        return index + 1 < block.first_instruction + block.instructions ? instructions[index + 1] : block.end;
    }
    // Ends in a jump, that is control does not simply go on with the next address.
    static bool ends_in_jump(const Block& block) { return block.how != BlockEnd::kFallThrough; }
};

// The same as numbers only. Node blocks.size() is a root of its own above the entries and above every part that no
// entry reaches, so that dominators and loops cover all blocks.
Digraph block_digraph(const FlowGraph& graph);

}  // namespace kymo::program
