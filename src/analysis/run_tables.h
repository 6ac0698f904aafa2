// Everything of a recording but its samples: one scan of each file, shared by all that reads these rows.
#pragma once

#include "analysis/dealt_files.h"
#include "base/result.h"
#include "findings/recorded_findings.h"
#include "recording/reader.h"
#include "spacetime/accesses/access_rows.h"
#include "spacetime/branches/branch_rows.h"
#include "spacetime/exact/exact_rows.h"
#include "spacetime/flows/flows.h"
#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/load/file_data.h"
#include "spacetime/look/looked_for.h"
#include "spacetime/memory/memory_over_time.h"
#include "spacetime/metrics/metric_rows.h"

#include <vector>

namespace kymo::analysis {

// Each list is parallel to the recording's files. Of a file that the system cannot read there is its error among the
// descriptions, and nothing else.
struct RunTables {
    std::vector<Result<spacetime::FileData>> descriptions;
    std::vector<spacetime::MetricRows> metrics;
    std::vector<spacetime::FileHunt> hunts;
    std::vector<spacetime::LookRows> looks;
    std::vector<spacetime::MemoryRows> memory;
    std::vector<spacetime::ExactRows> exact;
    std::vector<spacetime::FlowRows> flows;
    std::vector<spacetime::BranchRows> branches;
    std::vector<spacetime::AccessRows> accesses;
    std::vector<findings::RecordedFindings> findings;
};

// Several files at once, on all processors. Memory: bounded by call paths, waits, switches and values of metrics, not
// by samples.
// Of a team each process reads its own files; then all have the descriptions and the looks, the first has everything.
RunTables read_run(const recording::Recording& recording, const DealtFiles& dealt = {});

}  // namespace kymo::analysis
