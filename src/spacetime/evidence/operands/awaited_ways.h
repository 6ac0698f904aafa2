// Loops whose time is where their jumps lead, as it is where these are predicted wrongly (program/flow/two_ways.h).
#pragma once

#include "spacetime/evidence/account/families.h"
#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/operands/operand_sums.h"

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

// By number of the sampled address, as are `samples`: kBranches in loops of which awaits_ways() holds. Of functions
// whose graphs were made. Cost: decodes their innermost loops once.
std::vector<TaxFamily> awaited_ways(AddressPlaces addresses, std::span<const std::uint64_t> samples,
                                    const CodeMap& code);

}  // namespace kymo::spacetime
