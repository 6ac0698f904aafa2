// What a profile says about itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::import::named {

struct Event {
    std::string name;  // "cycles:u", "cpu"; empty: the profile does not name it
    std::string unit;  // "nanoseconds", "count", …; empty: as is usual for an event of that name
};

// Empty or 0: the profile does not say.
struct Facts {
    std::string hostname;
    std::string os_release;
    std::string arch;  // as of uname -m
    std::string cpu_description;
    std::string perf_version;
    std::string command_line;         // of the tool
    std::vector<Event> events;        // of text they are added as they come up
    bool is_summed = false;           // a sample is the sum of all with its call path, and has no time of its own
    std::uint32_t default_event = 0;  // the one to show first
    std::uint64_t period = 0;         // events between samples, in period_event's unit
    Event period_event;
    std::uint64_t wall_ns = 0;      // when it began, since 1970
    std::uint64_t duration_ns = 0;  // how long it took
    std::uint64_t samples = 0;      // delivered to the visitor
    std::uint64_t lost = 0;         // records that the kernel had no room for
    std::uint64_t first_time = 0;   // of the samples that have one
    std::uint64_t last_time = 0;
    std::vector<std::string> notices;  // what is missing or was left out; each one line without a full stop
};

}  // namespace kymo::import::named
