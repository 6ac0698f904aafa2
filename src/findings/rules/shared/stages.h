// Stages of pipelines: threads that work all the time, while those that hand work to them or take work from them
// wait.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <vector>

namespace kymo::findings {

struct StageNeighbour {
    std::uint32_t thread = 0;
    double waited = 0;  // ns, for the stage
    std::vector<std::uint32_t> targets;
};

struct Stage {
    std::uint32_t thread = 0;
    spacetime::NodeIndex code;               // the smallest function of the program's own with most of its work
    std::vector<StageNeighbour> neighbours;  // never empty in a result
    double gain_ns = 0;                      // what sharing its work could save
};

// Those that bound the run: sharing their work would make it a twentieth shorter. Cost: nodes for each pair of a
// stage and a thread that waits for it.
std::vector<Stage> pipeline_stages(const spacetime::Evidence& evidence);

}  // namespace kymo::findings
