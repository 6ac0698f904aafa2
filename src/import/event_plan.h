// The events of a perf.data file as events of a recording, and what its samples tell about time.
#pragma once

#include "events/plan.h"
#include "import/perf/attribute.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kymo::import {

struct PlannedEvent {
    std::string name;
    std::string unit;         // "ns" or empty
    std::uint64_t mode = 0;   // recording::EventMode
    std::uint64_t value = 0;  // of the mode
    std::uint64_t type = 0;   // of the kernel's, as the next two
    std::uint64_t config = 0;
    std::uint64_t precise = 0;
    bool user_only = false;
};

// How much processor time a sample of the pace event represents.
enum class Pace : std::uint8_t {
    kCounted,    // its period, which is time
    kEstimated,  // the time since the stream's sample before it, unless that is much longer than usual
    kUnknown,    // no event goes with time
    kGiven,      // a row comes where the call path changes, and says what its event and the clock counted in between
};

struct EventPlan {
    // The attributes in their order, then those that time is written to.
    std::vector<PlannedEvent> events;
    std::size_t clock = 0;    // of events: processor time, ns
    std::size_t system = 0;   // of events: of that, in the kernel
    std::uint32_t pace = 0;   // attribute: the event whose samples come as time passes
    double usual_gap_ns = 0;  // between two of its samples; 0: not known beforehand
    Pace kind = Pace::kUnknown;
    // Attribute: context switches, each with a sample. No index: there is none.
    std::uint32_t switches = ~0U;
    // Attribute: who wakes which thread (wakes.h). No index: there is none.
    std::uint32_t wakes = ~0U;
    bool sees_kernel = false;  // its samples are taken in the kernel, too
    bool has_times = true;     // every sample says when it was taken
};

EventPlan plan_events(std::span<const perf::Attribute> attributes);

// What is not known of time in such a recording; none: all of it is known.
std::optional<events::Missing> missing_time(const EventPlan& plan);

}  // namespace kymo::import
