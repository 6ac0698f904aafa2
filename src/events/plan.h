// From a user's request to the session's event list: defaults, merging, groups, and the check that each event
// opens here.
//
// The list starts with the default events (task-clock sampled at 1000 Hz, page-faults, context-switches and
// cpu-migrations counted). A requested event replaces its default or is added. If the machine has hardware
// counters and none of their events is requested, those of hardware_defaults.h end the list. Software events go
// into group 0 behind task-clock; hardware events into groups 1, 2, …, each as large as the kernel accepts, so
// that a group that waits for a free counter never stops task-clock, which measures the time.
//
// Counting events include the kernel if that is permitted, otherwise user mode only; a default event that would
// read 0 there is left out. Both are reported in `unavailable`. An event that was requested by name and is not
// available is an error.
#pragma once

#include "base/result.h"
#include "events/counter.h"
#include "events/names.h"
#include "events/probe.h"
#include "events/session.h"

#include <span>
#include <string>
#include <vector>

namespace kymo::events {

inline constexpr std::uint64_t kDefaultFrequency = 1000;

// Not available here, or only in part: a row of the recording's `unavailable` table.
struct Missing {
    std::string what;
    std::string why;
    std::string remedy;
};

struct Plan {
    Session session;  // events, mechanism and read_lost; the rest at its defaults
    std::vector<Missing> missing;
};

// Opens and closes each event on the calling thread. About 30 kB: returned once, not to be copied about.
Result<Plan> plan_events(std::span<const std::string> requests, const Machine& machine, CounterOpener& opener,
                         const NamePlaces& places = {});

// kUsage, kUnsupported: the kernel's timers, or its limits, do not take samples as fast as that.
Result<void> check_rate(const SessionEvent& event, const Machine& machine);

// Why perf_event_open() ended with this errno for the event, and what next.
Error why_refused(const SessionEvent& event, int error, const Machine& machine);

}  // namespace kymo::events
