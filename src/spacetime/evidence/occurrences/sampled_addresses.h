// Sampled addresses by number.
#pragma once

#include "spacetime/profile/profile.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// The elements of pairs.
struct SampledAddresses {
    std::vector<std::uint32_t> of_node;                           // profile node → number; kNone: no code
    std::vector<std::pair<std::uint32_t, std::uint64_t>> places;  // number → image, offset
    std::vector<std::uint64_t> samples;                           // by number
};
SampledAddresses number_addresses(const Profile& profile);

}  // namespace kymo::spacetime
