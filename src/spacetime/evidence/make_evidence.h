// From a recording and its profile to the evidence.
//
//     NamedRun named = name_run(profile);
//     auto evidence = make_evidence(*recording, profile, named);
//
// Two more passes over the recording than those that made the profile, in pieces: memory is bounded by call paths,
// distinct address pairs, kept nodes and the caps of EvidenceOptions, never by samples. Deterministic: the same
// recording gives the same evidence, bit for bit, on any number of processors.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/named_run.h"
#include "spacetime/metrics/run_metrics.h"
#include "spacetime/profile/profile.h"

namespace kymo::spacetime {

// `metrics`: of the same recording; empty: what they add to the facts about the run is not known. Error: the system
// cannot read the recording.
Result<Evidence> make_evidence(const recording::Recording& recording, const Profile& profile, NamedRun& run,
                               const EvidenceOptions& options = {}, const RunMetrics& metrics = {});

}  // namespace kymo::spacetime
