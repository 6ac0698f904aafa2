// Heavy code, groups of same spaces, with their lives in time: `heavy` of the blob "occurrences".
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/profile/profile.h"
#include "view/page/blob.h"
#include "view/page/time_pass.h"

namespace kymo::view {

void write_heavy(const spacetime::Evidence& evidence, const spacetime::Profile& profile, const TimeRange& range,
                 Blob& blob);

}  // namespace kymo::view
