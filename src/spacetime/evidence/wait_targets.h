// The targets of waits, each once, and the target of each recorded wait.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_table.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/profile/profile.h"

#include <vector>

namespace kymo::spacetime {

struct WaitTargets {
    std::vector<WaitTarget> targets;
    std::vector<std::vector<std::uint32_t>> of_thread;  // by thread, then by ProfileThread::waits
};

WaitTargets make_wait_targets(const Profile& profile, const Names& names);

// The innermost frame of a call path that is the program's own, not its run-time library's.
program::SourcePlace own_place(const Profile& profile, std::uint32_t profile_node, const Names& names);

}  // namespace kymo::spacetime
