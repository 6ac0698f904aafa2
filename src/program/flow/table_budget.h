// How much may be done to read one function's jump tables.
#pragma once

#include <cstddef>

namespace kymo::program {

// How much may still be done for one function: instructions decoded, taken together over all its indirect jumps.
struct TableBudget {
    std::size_t instructions = 0;
};

}  // namespace kymo::program
