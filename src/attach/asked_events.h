// The events that a user asks for (kymo record -e), of programs that are measured from outside.
//
// All of them take samples: from outside nothing reads a counter in a thread. One without period or frequency, which
// the monitor would count, has a sample at every 251st page fault, and each time where it is another one of the
// kernel's own or a tracepoint; clocks and the processor's have 1000 a second. They include the kernel where that is
// permitted.
#pragma once

#include "attach/sample_events.h"
#include "base/result.h"
#include "events/counter.h"
#include "events/names.h"
#include "events/probe.h"

#include <span>
#include <string>

namespace kymo::attach {

// Sets the clock's period and the events of `settings`. task-clock is the clock, and context-switches is there in any
// case, with a sample each time. Opens and closes each event on the calling thread. Errors: those of
// events::parse_event(), events::check_rate() and events::why_refused(); kUsage: too many.
Result<void> ask_for(std::span<const std::string> requests, const events::Machine& machine,
                     events::CounterOpener& opener, SampleSettings* settings, const events::NamePlaces& places = {});

}  // namespace kymo::attach
