// The program's own functions, each with the time of the libraries that it calls.
//
// Own code is that of the executables and of the shared libraries that came with them. Code in the system's
// directories or among an interpreter's packages is a library, and so is what a library's header put into own code
// (std::sort, inlined). If every executable is the system's (xz, g++), those are own code.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::view {

struct OwnCode {
    std::vector<spacetime::FunctionCosts> functions;  // each with its hottest line
    spacetime::CostTable self;                        // row: as `functions`
    spacetime::CostTable libraries;                   // in its callees, as far as the next own function
    spacetime::CostTable total;                       // with all callees
};

// By function of the tree's symbols.
std::vector<bool> own_functions(const spacetime::Profile& profile, const spacetime::CallTree& tree);

// Cost: linear in the tree.
OwnCode own_code(const spacetime::Profile& profile, const spacetime::CallTree& tree);

}  // namespace kymo::view
