// The address map of each process over time: the blob "address_map" (docs/page-data.md).
#pragma once

#include "spacetime/address_map/address_map.h"
#include "spacetime/profile/profile.h"
#include "view/page/blob.h"

#include <cstddef>

namespace kymo::view {

// For each process at most `most` areas as they were from one reading to another: the largest areas.
// blob.json["processes"] is empty if nothing is known.
void write_address_map(const spacetime::AddressMap& map, const spacetime::Profile& profile, std::size_t most,
                       Blob& blob);

}  // namespace kymo::view
