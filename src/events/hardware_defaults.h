// The default hardware events, if the user chose none: how much the code gets done in a cycle, and the most
// frequent obstacles.
//
// User mode only, like the code between two samples, and in one group: the ratio of two of them is right even
// while the group waits for counters in use by others. As many as the processor counts at once and all the time,
// because events that share a counter in turns are estimates. The others are left out without a message, since the
// user did not request any.
#pragma once

#include "events/counter.h"
#include "events/session.h"

#include <cstddef>
#include <vector>

namespace kymo::events {

inline constexpr std::size_t kMostHardwareDefaults = 6;

// Group 1, at most `most` events; empty without counters. Opens, tries (some 20 µs each time) and closes them on the
// calling thread. `read_lost`: Session::read_lost.
std::vector<SessionEvent> hardware_defaults(CounterOpener& opener, bool read_lost, std::size_t most);

}  // namespace kymo::events
