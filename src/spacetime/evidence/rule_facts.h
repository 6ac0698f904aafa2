// Facts that only rules need: waits by target, single waits if they are few, short waits, memory taken from the
// system.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/occurrences/time_grid.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// Fills in Evidence::{wait_sums,timed_waits}, ThreadFacts::{brief,mappings} and RunFacts::peak_bytes. `target_of`: by
// thread, then by ProfileThread::waits: index of Evidence::wait_targets. Precondition: RunFacts::threads is filled.
// `lacking`: by thread, of time without a processor. Pure; linear in waits, and for single waits also in their
// states.
void add_rule_facts(const Profile& profile, const std::vector<std::vector<std::uint32_t>>& target_of,
                    const TimeGrid& lacking, Evidence* evidence);

}  // namespace kymo::spacetime
