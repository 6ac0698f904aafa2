// The weight of kept nodes: instructions × occurrences, shared among call paths by their samples at each address.
#pragma once

#include "spacetime/evidence/kept_nodes.h"
#include "spacetime/evidence/occurrences/sampled_addresses.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// By kept node, with its children's: a share of the whole. By the clock's samples alone: those of other events come
// with their events. `weight_of_address`: Weighing's. `pair_ends`: by profile node, OccurrencePass's.
std::vector<double> node_weights(const Profile& profile, const KeptNodes& kept, const SampledAddresses& addresses,
                                 const std::vector<double>& weight_of_address,
                                 const std::vector<std::uint64_t>& pair_ends);

}  // namespace kymo::spacetime
