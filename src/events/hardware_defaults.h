// The hardware events that are counted where the user chose none: what the code gets done in a cycle, and what most
// often keeps it from more.
//
// User mode's alone, as the code between two samples is, and in one group: of two of them the ratio is right even
// while the group waits for counters that somebody else has taken. As many as the processor counts at once and all
// the time: what is counted in turns is an estimate. The others are left out, and nobody is told: nobody asked.
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
