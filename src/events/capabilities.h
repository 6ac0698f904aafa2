// What a machine can measure, as a table for the user: one row a capability, with the reason and the exact command
// that would change it. Pure: from probe()'s facts.
#pragma once

#include "events/probe.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::events {

enum class Level : std::uint8_t { kYes, kPartly, kNo };

struct Capability {
    std::string key;    // stable, for programs: "samples", "hardware-counters", …
    std::string title;  // for display
    Level level = Level::kNo;
    std::string detail;  // how far, or why not
    std::string remedy;  // a command or a setting; empty where nothing is to be gained
};

std::vector<Capability> capabilities(const Machine& machine);

// Threads whose sample buffers (one page and its control page each) fit the locked-memory limits beside the parent's
// rings; 0: no limit (root, or not known).
std::uint64_t threads_with_buffers(const Machine& machine);

}  // namespace kymo::events
