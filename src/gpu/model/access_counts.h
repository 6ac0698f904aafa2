// What an instruction adds to its counts, for simulated CTAs and for those treated as their equals.
#pragma once

#include "gpu/model/bank_conflicts.h"
#include "gpu/model/coalesce.h"
#include "gpu/model/result.h"
#include "gpu/trace/counting.h"

#include <algorithm>
#include <cstdint>

namespace kymo::gpu {

inline void count_issue(Counts& counts, std::uint32_t mask) {
    ++counts.issued;
    counts.empty += mask == 0 ? 1 : 0;
    counts.lanes += lanes_in(mask);
}

inline void count_global(Counts& counts, const Footprint& footprint, std::uint32_t mask, unsigned bytes) {
    ++counts.requests;
    counts.sectors += footprint.sectors;
    counts.fewest_sectors += ideal_sectors(lanes_in(mask), bytes);
}

// Returns the fewest passes such an access can need.
inline unsigned count_shared(Counts& counts, unsigned passes, unsigned bytes) {
    // Half a warp of 8-byte accesses needs one pass; with fewer lanes there are fewer groups.
    const unsigned fewest = std::min(passes, fewest_passes(bytes));
    ++counts.shared_requests;
    counts.shared_passes += passes;
    counts.fewest_passes += fewest;
    return fewest;
}

}  // namespace kymo::gpu
