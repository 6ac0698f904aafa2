// Classes of events, by name: what more of them means, what one costs at most, and what to do about them.
//
// A table that can be read and extended. An event of no class is a count that only the user can interpret.
#pragma once

#include <cstdint>
#include <string_view>

namespace kymo::spacetime {

enum class EventMeaning : std::uint8_t {
    kUnknown,  // only the user can decide
    kWork,     // what the program is there for: more of it is more done (instructions), or time by another name
    kCost,     // fewer are better
};

struct EventClass {
    std::string_view name;  // part of the event's name: the first row that fits counts
    EventMeaning meaning = EventMeaning::kUnknown;
    double most_ns = 0;            // what one costs at most, in ns; 0: not known
    std::string_view cause = {};   // what happens in code with many of them: a sentence without its full stop
    std::string_view remedy = {};  // what to change, as an imperative; a small letter begins it, no full stop ends it
    bool waits = false;            // its cost is mostly off the processor; otherwise on it
};

// By the name under which the event is recorded ("cache-misses", "cpu/l1d.replacement/"). The program's own metrics
// (base/metric_event.h) are of no class. O(rows of the table).
const EventClass& event_class(std::string_view event);

}  // namespace kymo::spacetime
