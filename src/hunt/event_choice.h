// How often, and how precisely, an event is inspected if the user did not specify it.
//
// Clocks and hardware events are too frequent to inspect each: they are sampled by frequency. Other software
// events are inspected one by one. Hardware counters have precise modes on some machines
// (perf_event_attr::precise_ip 1 to 3; whether the kernel accepts a mode shows if it exists): the highest that
// opens, in user mode, on the calling thread.
#pragma once

#include "events/counter.h"
#include "events/session.h"

namespace kymo::hunt {

// Does not change an event that already has a period or a frequency.
void choose_rate(events::SessionEvent& event);

// Does not change software events, tracepoints, and an event with `precise` set. Opens at most three counters
// through `opener` and closes them.
void choose_precision(events::SessionEvent& event, events::CounterOpener& opener);

}  // namespace kymo::hunt
