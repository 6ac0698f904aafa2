// The time waited for each target: what `kymo report`'s rules about locks and waits count with.
#pragma once

#include "spacetime/evidence/account/time_grid.h"
#include "spacetime/evidence/node.h"
#include "spacetime/evidence/run_facts.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/evidence/wait_targets.h"
#include "spacetime/profile/profile.h"

#include <vector>

namespace kymo::spacetime {

// Parallel to targets.targets: time and number of its waits, the part in which the holder lacked a processor, the
// holder's place (holder_places.h). `lacking`: by thread, of time without a processor. Pure; linear in waits.
std::vector<WaitSum> wait_sums(const Profile& profile, const Names& names, const WaitTargets& targets,
                               const TimeGrid& lacking);

// By thread, then by begin: waits that are not for other threads, of targets with at most kMostTimed of them. Pure;
// linear in waits and their states.
std::vector<TimedWait> timed_waits(const Profile& profile, const WaitTargets& targets,
                                   const std::vector<WaitSum>& sums);

}  // namespace kymo::spacetime
