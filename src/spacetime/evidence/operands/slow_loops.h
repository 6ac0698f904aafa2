// Loops that are slow for what happens in them, as their code and where its samples lie show together.
#pragma once

#include "spacetime/evidence/account/families.h"
#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/operands/operand_sums.h"
#include "spacetime/evidence/structure.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct AddressSamples {
    std::uint32_t number = 0;  // of the address
    std::uint64_t samples = 0;
};
using FunctionSamples = std::map<std::uint64_t, AddressSamples>;  // by offset in the image

// Three tenths of a loop's samples and more are at the first two instructions of the ways of its jumps, fifteen
// hundredths of them more than if all instructions took as long, and two ways of each such jump have a part of their
// own. Jumps in a pattern that the processor has learned show nothing of the kind, however often they go either way.
// False where the loop has fewer than a hundred samples. Cost: a look-up a block and a way.
bool awaits_ways(const FunctionSamples& samples, const program::TwoWayLoop& loop);

// A loop's rounds mostly do nothing: at most a twentieth of its samples is where it does something that takes long.
// Likewise.
bool finds_little(const FunctionSamples& samples, const program::IdleLoop& loop);

struct SlowLoops {
    // By number of the sampled address: kBranches in loops that await ways, kShifting in those that find little.
    std::vector<TaxFamily> family;
    // Likewise: the function that a slow loop is in, not one inlined into its rounds, which is what can be changed;
    // function 0: not known.
    std::vector<program::Frame> holder;
};

// `samples`: by number of the address. `by_code`: likewise, the family by the instruction alone, which is kept.
// `has_stacks`: branch stacks say more of branches. Of functions whose graphs were made. Cost: decodes them.
SlowLoops slow_loops(AddressPlaces addresses, std::span<const std::uint64_t> samples,
                     const std::vector<TaxFamily>& by_code, const CodeMap& code, const Names& names, bool has_stacks);

}  // namespace kymo::spacetime
