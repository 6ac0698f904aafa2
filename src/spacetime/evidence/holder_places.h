// Where the threads that were waited for spent the time of the waits.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/profile/profile.h"

namespace kymo::spacetime {

// Pure. Fills in holder_place and holder_doing of Evidence::wait_sums, if recorded: the function in which the
// holder was longest during all waits for the target, and the line in it with most of that. For running code the
// function that it was compiled into; for a wait the call. Precondition: wait_sums is parallel to wait_targets.
void add_holder_places(const Profile& profile, const Names& names, Evidence* evidence);

}  // namespace kymo::spacetime
