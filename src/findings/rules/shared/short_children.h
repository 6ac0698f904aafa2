// Processes that one process starts by the dozen and that end almost at once, and its waits for them.
#pragma once

#include "base/time.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kymo::findings {

struct ShortChildren {
    std::size_t count = 0;
    double user = 0;  // ns
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::map<std::string, std::size_t> names;  // of each one's last image
    std::vector<TimeRange> lives;              // by begin
};

// By process (index of RunFacts::processes): its children that live for thirty milliseconds at most, of twenty such
// and more.
std::map<std::uint32_t, ShortChildren> short_children(const spacetime::RunFacts& run);

// ns by thread (index of RunFacts::threads) and wait target.
using WaitsByTarget = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

// The parent's waits, of thirty milliseconds at most each, for the ends of children, and in reads and polls while a
// short child lives: for its output, or for its end.
WaitsByTarget waits_for(const spacetime::Evidence& evidence, std::uint32_t parent, const ShortChildren& children);

}  // namespace kymo::findings
