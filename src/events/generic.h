// Events that the kernel names itself, on every machine: its software events, its generic hardware events and
// its generic cache events (perf_event_open(2)). Whether a machine can count them is another question.
#pragma once

#include "events/session.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::events {

// Type, config and unit filled in; name is the kernel's own spelling (aliases such as `faults` or `cs` are
// understood).
std::optional<SessionEvent> generic_event(std::string_view name);

// `r` and 1–16 hexadecimal digits: a raw code for the processor's own counters, as in its manual.
std::optional<SessionEvent> raw_event(std::string_view name);

std::vector<std::string> software_event_names();
std::vector<std::string> hardware_event_names();

// Copies as much of `name` as fits.
void set_name(SessionEvent& event, std::string_view name);

}  // namespace kymo::events
