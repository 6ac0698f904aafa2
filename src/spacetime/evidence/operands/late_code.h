// Code that runs late because branches before it were predicted wrongly, as branch stacks with cycles show.
#pragma once

#include "spacetime/evidence/account/families.h"
#include "spacetime/evidence/operands/operand_sums.h"
#include "spacetime/load/images.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kymo::spacetime {

// Code from one instruction to another that ran straight, behind predicted branches and behind mispredicted ones.
struct TimedCode {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t cycles = 0;  // of all its runs
    std::uint64_t excess = 0;  // of these: what those behind mispredicted branches took longer than the others
};
using LateCode = std::map<ImageInfo, std::vector<TimedCode>>;

// Runs of either kind that such code needs: fewer say nothing of a mean.
inline constexpr std::uint64_t kLeastRuns = 20;

// By number of the sampled address: kBranches where half or more of the cycles of the code that holds it are excess;
// kNone: others. Empty: no code is known.
std::vector<TaxFamily> late_addresses(const Profile& profile, AddressPlaces addresses, const LateCode& code);

}  // namespace kymo::spacetime
