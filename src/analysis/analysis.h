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
#include "spacetime/finds/finds.h"
#include "spacetime/look/second_look.h"
#include "spacetime/metrics/run_metrics.h"
#include "spacetime/waits/wait_table.h"

namespace kymo::analysis {

struct Analysis : SpaceTime {
    const recording::Recording* recording = nullptr;  // outlives it
    findings::Judgement judgement;
    spacetime::WaitTable wait_table;  // of profile.waits
    spacetime::Finds finds;           // of a hunt; of none it is empty
    spacetime::RunMetrics metrics;
    EarlierLook earlier;  // where the recording is a second look
    spacetime::SecondLook look;
};

// Errors: as analyse_space_time(), and where a file of the recording cannot be read any more. Cost: that of its
// stages (docs/spaces.md has them for up to 100 million samples).
Result<Analysis> analyse(const recording::Recording& recording, const SpaceTimeOptions& options = {});

}  // namespace kymo::analysis
