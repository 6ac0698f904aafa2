// Finds the levels at which the run has structure: main loops, their phases, loops inside the phases.
#pragma once

#include "spacetime/evidence/kept_nodes.h"
#include "spacetime/evidence/occurrences/occurrence_sums.h"
#include "spacetime/evidence/occurrences/rounds.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct LevelStructure {
    double score = 0;          // of all streams' wall time
    std::uint64_t rounds = 0;  // all streams together
    bool is_main = false;
    bool is_loop = false;  // main, or the best inside a phase: its iterations are analysed one by one
    std::vector<std::pair<std::uint32_t, Rounds>> streams;  // thread → rounds
};

// By kept node. `wall_ns`: of all streams. Levels whose rounds cover less than 2 % of that are not loops.
// Of levels above each other that are about as good, the outermost is the main loop. Threads may have main loops of
// their own, as long as none lies above another.
std::vector<LevelStructure> find_levels(const KeptNodes& kept, const OccurrenceSums& sums, std::int64_t wall_ns);

}  // namespace kymo::spacetime
