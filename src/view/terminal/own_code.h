// The program's own functions, each with the time of the libraries that it calls.
//
// What is own code: spacetime/profile/own_code.h.
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

// Cost: linear in the tree.
OwnCode own_code(const spacetime::Profile& profile, const spacetime::CallTree& tree);

}  // namespace kymo::view
