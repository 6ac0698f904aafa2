// Where the threads that were waited for spent the time of the waits.
#pragma once

#include "spacetime/evidence/node.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kymo::spacetime {

struct HolderStay {
    recording::WaitKind doing{};  // WaitKind{}: it ran
    program::SourcePlace place;
};

// By target, where it is recorded: the function in which the holder was longest during all waits for the target, and
// the line in it with most of that. For running code the function that it was compiled into; for a wait the call.
// Pure.
std::map<std::uint32_t, HolderStay> holder_stays(const Profile& profile, const Names& names,
                                                 const std::vector<WaitTarget>& targets);

}  // namespace kymo::spacetime
