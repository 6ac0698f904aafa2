// What only rules ask for: waits by target, waits one by one where they are few, short waits, memory taken from the
// system.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/occurrences/time_grid.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// Fills in Evidence::{wait_sums,timed_waits}, ThreadFacts::{brief,mappings} and RunFacts::peak_bytes. `target_of`: by
// thread, then by ProfileThread::waits: index of Evidence::wait_targets. Precondition: RunFacts::threads is there.
// `lacking`: by thread, of time without a processor. Pure; linear in waits, and for those one by one also in the
// states that they lie in.
void add_rule_facts(const Profile& profile, const std::vector<std::vector<std::uint32_t>>& target_of,
                    const TimeGrid& lacking, Evidence* evidence);

}  // namespace kymo::spacetime
