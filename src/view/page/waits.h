// The waits of all threads, for arrows between them: both threads, time, object and place.
#pragma once

#include "spacetime/profile/profile.h"
#include "view/page/blob.h"
#include "view/page/leaves.h"
#include "view/page/time_pass.h"

#include <cstddef>

namespace kymo::view {

// The longest `most` of them, by thread, then by begin. blob.json["waits"] has their number and that of those kept.
void write_waits(const spacetime::Profile& profile, const Leaves& leaves, const TimeRange& range, std::size_t most,
                 Blob& blob);

}  // namespace kymo::view
