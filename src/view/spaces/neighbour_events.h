// The events of a piece of code in one neighbourhood against its other ones: counts in an occurrence.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kymo::view {

struct NeighbourEvent {
    spacetime::CounterIndex event;
    std::int64_t all = 0;  // counted in this neighbourhood
    double here = 0;       // in an occurrence
    double elsewhere = 0;  // in an occurrence between other neighbours
};

// By the requested events, without those that have none; empty if the code has no other neighbourhood. `patterns`:
// with `pattern` among them; of its node only the triples count.
std::vector<NeighbourEvent> neighbour_events(std::span<const spacetime::CodePattern> patterns,
                                             const spacetime::CodePattern& pattern,
                                             const std::vector<spacetime::CounterIndex>& events);
// The one whose counts are furthest apart: at least ten, and half as many again in an occurrence as elsewhere.
std::optional<NeighbourEvent> telling_event(const std::vector<NeighbourEvent>& events);
// "page-faults 12.0 in each (else 0.3)".
std::string neighbour_event_words(const spacetime::Evidence& evidence, const NeighbourEvent& event);
// Of an occurrence or a gap, three digits: "0", "0.31", "12.4", "4,100".
std::string mean_words(double mean);

}  // namespace kymo::view
