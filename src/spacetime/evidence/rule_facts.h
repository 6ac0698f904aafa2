// Sums over the run that only rules ask for: of waits by target, of short waits, of memory taken from the system.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/profile.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// Fills in Evidence::wait_sums, ThreadFacts::{brief,mappings} and RunFacts::peak_bytes. `target_of`: by thread, then
// by ProfileThread::waits: index of Evidence::wait_targets. Precondition: RunFacts::threads is there. Pure; linear in
// waits.
void add_rule_facts(const Profile& profile, const std::vector<std::vector<std::uint32_t>>& target_of,
                    Evidence* evidence);

}  // namespace kymo::spacetime
