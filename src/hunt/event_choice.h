// How often, and how precisely, an event is looked at when its user did not say.
//
// Clocks and hardware events come too often to look at each: by frequency. Other software events one by one. Hardware
// counters have precise modes on some machines (perf_event_attr::precise_ip 1 to 3; the kernel tells which by taking
// them or not): the highest that opens, in user mode, on the calling thread.
#pragma once

#include "events/counter.h"
#include "events/session.h"

namespace kymo::hunt {

// Leaves an event alone that already has a period or a frequency.
void choose_rate(events::SessionEvent& event);

// Leaves software events, tracepoints, and an event with `precise` set alone. Opens at most three counters through
// `opener` and closes what it opened.
void choose_precision(events::SessionEvent& event, events::CounterOpener& opener);

}  // namespace kymo::hunt
