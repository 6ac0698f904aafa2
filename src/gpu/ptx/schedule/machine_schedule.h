// A kernel's machine code joined to its PTX, so that executing the PTX yields the machine code's instructions: in
// their number and order, with the compiler's control bits.
//
// Every machine instruction has the PTX line that it comes from (gpu/sass/line_rows.h). Accesses to memory, barriers,
// and the branches of blocks without either are anchors: they are executed as often as their PTX block is, wherever
// the compiler has put everything else. A machine block with anchors of several PTX blocks (predicated, merged) joins
// those to a group; machine blocks that hold the same anchors over again are variants of each other (the unrolled
// loop, its rest), each worth a number of executions of the PTX block. Machine blocks without anchors lie on the ways
// between those that have some, and are executed when the way is taken.
//
// Contract: join() is pure; what comes out is immutable. Errors: kUnsupported, naming the kernel and what of it
// cannot be joined: calls, matrices' and bulk copies' accesses, a store or barrier that the machine code lacks, code
// without lines.
#pragma once

#include "gpu/ptx/select/compile.h"
#include "gpu/sass/code.h"

namespace kymo::gpu::ptx {

inline constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
inline constexpr std::uint32_t kStart = ~std::uint32_t{0};  // before the first machine block

struct ScheduledInstruction {
    std::uint32_t block = kNoBlock;  // the PTX block whose execution says its lanes; kNoBlock: those of the pass
    std::uint32_t copy = 0;          // which of that block's executions
    std::uint16_t log = kNoLog;      // there
    bool others = false;             // a branch taken by the lanes that do not take the PTX's
};

struct ScheduledBlock {
    std::uint32_t first = 0;  // in Schedule::instructions and the program
    std::uint32_t end = 0;
    std::uint32_t next = kNoBlock;    // machine blocks: the one behind, if it goes on there,
    std::uint32_t target = kNoBlock;  // and the one its jump leads to
    bool guarded = false;             // the jump
    bool anchored = false;
};

// Machine blocks that together are worth a number of executions of each PTX block of a group.
struct Variant {
    std::vector<std::uint32_t> blocks;
    std::vector<std::uint32_t> copies;  // of Group::members
    std::uint32_t most = 0;
};

struct Group {
    std::vector<std::uint32_t> members;   // PTX blocks
    std::vector<std::uint32_t> capacity;  // of each, of all variants the most
    std::vector<Variant> variants;        // largest first
};

struct Schedule {
    Program program;
    unsigned registers = 0;
    std::vector<ScheduledInstruction> instructions;
    std::vector<ScheduledBlock> blocks;
    std::vector<Group> groups;
    std::vector<std::uint32_t> group;   // of each PTX block; kNoGroup
    std::vector<std::uint32_t> member;  // its place there
    std::vector<std::uint16_t> logs;    // number of logs of each PTX block
};

Result<Schedule> join(const Compiled& kernel, const sass::Code& code);

}  // namespace kymo::gpu::ptx
