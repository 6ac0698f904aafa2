// With a branch stack nothing is guessed: between one taken branch's target and the next one's source, execution was
// straight.
#pragma once

#include "spacetime/spaces/pair_rule.h"

#include <cstdint>
#include <functional>
#include <span>

namespace kymo::spacetime {

struct TakenBranch {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
};

struct ExecutedSpaces {
    std::vector<CodeSpace> spaces;     // one by function, in the order of its first execution
    std::vector<PairRule*> functions;  // parallel: their functions
    PairSpaces guessed;        // by the rule of pairs: before the first branch, if the stack does not reach back to a
    std::uint32_t broken = 0;  // stretches that cannot have run straight (wrong stack, code that changed): left out
};

// The stretches a … from₁, to₁ … from₂, …, toₙ … b. `branches`: oldest first, those between the samples at a and b.
// `reaches_back`: the stack is known to hold every branch since a; otherwise the part between a and from₁ is
// guessed. `function_at`: the rule of the function that holds an address, null if there is none. Cost: linear in
// branches, times that of finding the function.
ExecutedSpaces executed_spaces(std::uint64_t a, std::uint64_t b, std::span<const TakenBranch> branches,
                               bool reaches_back, const std::function<PairRule*(std::uint64_t)>& function_at);

}  // namespace kymo::spacetime
