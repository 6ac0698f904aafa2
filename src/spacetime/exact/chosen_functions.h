// The functions of which a second run is to see every call: those that kept pieces of code lie in.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct ChosenFunction {
    Place place;          // with a build id and ranges, so that it is known again
    std::int64_t ns = 0;  // wall time of the node in it that has most
};

// At most `most`, most time first. A piece inlined into a function, or a loop in it, is represented by that function;
// functions without a build id, or without code, are left out.
std::vector<ChosenFunction> chosen_functions(const Evidence& evidence, std::size_t most);

// The function on its call path that a node lies in, itself included; kNone: none.
NodeIndex function_around(const Evidence& evidence, NodeIndex node);

}  // namespace kymo::spacetime
