// Everything that a recording says: each part made once, for all views and verbs.
//
//     const auto analysis = analysis::analyse(*recording);
//     print(view::report_text(*analysis, …));
//
// Plain values afterwards: any thread may read them.
#pragma once

#include "analysis/earlier_look.h"
#include "analysis/space_time.h"
#include "base/result.h"
#include "findings/finding.h"
#include "recording/reader.h"
#include "spacetime/accesses/accesses.h"
#include "spacetime/branches/branches.h"
#include "spacetime/exact/exact_calls.h"
#include "spacetime/flows/flows.h"
#include "spacetime/hunt_results/hunt_results.h"
#include "spacetime/memory/memory_over_time.h"
#include "spacetime/metrics/run_metrics.h"

#include <cstdint>

namespace kymo::analysis {

struct Analysis : SpaceTime {
    const recording::Recording* recording = nullptr;  // outlives it
    findings::Judgement judgement;
    spacetime::HuntResults hunt_results;  // of a hunt; of none it is empty
    spacetime::RunMetrics metrics;
    spacetime::MemoryOverTime memory;
    spacetime::RunFlows flows;           // of an imported trace; otherwise empty
    spacetime::ExactCalls exact;         // of `kymo record --for … --exact`; otherwise empty
    spacetime::MemoryAccesses accesses;  // of samples with data addresses; where there are none it is empty
    // Of branch stacks, with what ran of each of evidence.same_spaces; where there are none it is empty.
    spacetime::Branches branches;
    EarlierLook earlier;  // where the recording is a second look, and both are wanted
};

enum class Looks : std::uint8_t {
    kThis,  // alone
    kBoth,  // of a second look the first one's recording is analysed as well, to lay them side by side
};

// With a team (options.spaces.team) its processes do it together: each calls this, and the first gets the same, bit
// for bit, as one process alone. The others get no evidence and what rests on it.
//
// Errors: as analyse_space_time(), and where a file of the recording cannot be read any more. Cost: that of its
// stages (docs/measurements.md has them for up to 100 million samples).
Result<Analysis> analyse(const recording::Recording& recording, const SpaceTimeOptions& options = {},
                         Looks looks = Looks::kThis);

}  // namespace kymo::analysis
