// Flows of an imported trace, for arrows between threads.
#pragma once

#include "spacetime/flows/flows.h"
#include "spacetime/profile/profile.h"
#include "view/page/blob.h"
#include "view/page/time_pass.h"

#include <cstddef>
#include <vector>

namespace kymo::view {

// The longest `most` of those that touch the range, by their end. Without any the blob has nothing of them; else
// blob.json["flows"] has their number and that of those kept.
void write_flows(const spacetime::Profile& profile, const std::vector<spacetime::FlowArrow>& flows,
                 const TimeRange& range, std::size_t most, Blob& blob);

}  // namespace kymo::view
