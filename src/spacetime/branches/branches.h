// What the branch stacks of a recording say. Each is the processor's list of the branches that it took before a
// sample: what is counted here is that of the stacks, a sample of what ran, and within them exact.
//
// Plain values: any thread may read them.
#pragma once

#include "program/symbols.h"
#include "recording/tables/processor.h"
#include "spacetime/branches/branch_rows.h"
#include "spacetime/evidence/node.h"
#include "spacetime/evidence/operands/late_code.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// A branch instruction.
struct BranchOfCode {
    program::SourcePlace place;
    std::uint64_t offset = 0;  // in its image
    std::uint64_t taken = 0;
    std::uint64_t judged = 0;        // of these, the processor says whether it predicted them
    std::uint64_t mispredicted = 0;  // of these
    std::uint64_t passed = 0;        // times that code ran straight past it: it was not taken
    std::uint64_t targets = 0;       // different ones
};

// A code space whose every instruction ran: from the target of one taken branch to the next branch that was taken.
struct ExecutedSpace {
    program::SourcePlace first_place;
    program::SourcePlace last_place;
    std::uint64_t first = 0;  // offset of its first instruction
    std::uint64_t last = 0;   // of its last one, the branch
    std::uint64_t count = 0;
    std::uint64_t instructions = 0;  // each time
    std::uint64_t weight() const { return count * instructions; }
};

struct ExecutedFunction {
    program::SourcePlace place;         // its entry's
    std::uint64_t instructions = 0;     // executed
    std::uint64_t spaces = 0;           // different ones
    std::uint32_t blocks = 0;           // of its graph
    std::uint32_t executed_blocks = 0;  // of these, with an instruction that ran
};

// What ran of some code.
struct ExecutedPart {
    std::uint64_t instructions = 0;  // that the stacks show in it, of Branches::instructions
    std::uint64_t judged = 0;        // branches in it of which the processor says whether it predicted them
    std::uint64_t mispredicted = 0;  // of these
};
// Pieces of code that are one; they live where this does.
using CodeOfInterest = std::vector<const Place*>;

struct Branches {
    static constexpr std::size_t kMostKept = 200;  // of each list

    recording::BranchStacks account;  // of all files; `broken` also has the spaces that the code itself refuses
    std::uint64_t taken = 0;
    std::uint64_t judged = 0;
    std::uint64_t mispredicted = 0;
    std::uint64_t instructions = 0;  // executed, in code that can be decoded
    std::uint64_t undecoded = 0;     // ranges, with their counts, of code that cannot
    std::uint64_t cycles = 0;        // of all spaces with a number of them
    // Of these: what spaces took longer behind a mispredicted branch than the same spaces behind a predicted one.
    // Only of spaces that were met both ways. 0: no stack has cycles, or it made no difference.
    std::uint64_t late_cycles = 0;
    std::vector<BranchOfCode> branches;       // most mispredicted first, then most taken
    std::vector<ExecutedSpace> spaces;        // greatest weight first
    std::vector<ExecutedFunction> functions;  // most instructions first
    std::vector<ExecutedPart> of_interest;    // parallel to what make_branches() was asked for
    std::size_t all_branches = 0;             // before the lists were cut
    std::size_t all_spaces = 0;
    std::size_t all_functions = 0;

    bool is_known() const { return account.stacks != 0; }
};

// What the evidence needs of them (operands/late_code.h).
LateCode late_code(const std::vector<BranchRows>& files);

// `files`: the rows of all files. Cost: decodes the functions that they are in, and looks up the names of what is
// kept. `interest`: code whose part in them is wanted, at a cost of all ranges of its image for each.
Branches make_branches(const std::vector<BranchRows>& files, const std::vector<CodeOfInterest>& interest = {});

}  // namespace kymo::spacetime
