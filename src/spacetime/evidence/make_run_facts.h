// Facts about the run as a whole, from its profile and the pass over its occurrences.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_pass.h"
#include "spacetime/evidence/places.h"
#include "spacetime/evidence/run_facts.h"
#include "spacetime/evidence/wait_targets.h"
#include "spacetime/metrics/run_metrics.h"
#include "spacetime/profile/profile.h"

namespace kymo::spacetime {

// `metrics`: of the same recording; empty: no channels, and no time of the hypervisor. Pure.
RunFacts make_run_facts(const Profile& profile, const Names& names, const OccurrencePass& occurrences,
                        const WaitTargets& targets, const RunMetrics& metrics);

}  // namespace kymo::spacetime
