// Instructions that are slow for what they work on, as the operands of samples show: denormal numbers, and cache
// lines that other threads change.
#pragma once

#include "spacetime/evidence/account/paths.h"
#include "spacetime/evidence/operands/operand_sums.h"
#include "spacetime/evidence/operands/shared_lines.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// By number of the sampled address: the family of half of its rows or more; kNone: none.
std::vector<TaxFamily> slow_operands(const OperandUses& uses, const OperandSums& sums, const SharedLines& lines);

// Of own code, in place of what the instructions alone say. `address_of_node`: the number of the address that a
// profile node ends at; kNone: none. `places`: by that number; function 0, or empty: the path's own.
void apply(const std::vector<TaxFamily>& slow, const Profile& profile,
           const std::vector<std::uint32_t>& address_of_node, PathEnds* paths,
           const std::vector<program::Frame>& places = {});

}  // namespace kymo::spacetime
