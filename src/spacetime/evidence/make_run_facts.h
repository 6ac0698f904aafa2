// Facts about the run as a whole, from its profile and the pass over its occurrences.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_pass.h"
#include "spacetime/evidence/places.h"
#include "spacetime/evidence/run_facts.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// `targets`: by thread, then by ProfileThread::waits: index of Evidence::wait_targets. Metrics, and facts that
// only rules need, are filled in elsewhere. Pure.
RunFacts make_run_facts(const Profile& profile, const Names& names, const OccurrencePass& occurrences,
                        const std::vector<std::vector<std::uint32_t>>& targets);

}  // namespace kymo::spacetime
