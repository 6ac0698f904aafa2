// From a recording to its code spaces over time: the first half of every analysis.
#pragma once

#include "analysis/dealt_files.h"
#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/named_run.h"
#include "spacetime/profile/profile.h"

#include <functional>
#include <optional>
#include <string_view>

namespace kymo::analysis {

struct SpaceTime {
    spacetime::Profile profile;
    spacetime::NamedRun named;  // the names of its code, and the call tree
    spacetime::Evidence evidence;
};

struct SpaceTimeOptions {
    bool below_creators = true;              // a thread's tree hangs below the call path that created it
    spacetime::EvidenceOptions spaces = {};  // on_stage is that of all stages
    // Asked as soon as the profile is there, before the work that takes long: an error ends the analysis. May be
    // empty.
    std::function<std::optional<Error>(const spacetime::Profile&)> check = {};
};

// The first stage alone. Errors: the system cannot read the recording, there is nothing in it; and options.check's.
Result<spacetime::Profile> load_profile(const recording::Recording& recording, const SpaceTimeOptions& options);
// The same with the first pass over the files done.
Result<spacetime::Profile> load_described(const recording::Recording& recording,
                                          std::vector<Result<spacetime::FileData>> described,
                                          const SpaceTimeOptions& options, const DealtFiles& dealt = {});
// The others. What could not be done is in the profile's warnings. `metrics`: as make_evidence(). Errors: the system
// cannot read the recording.
Result<SpaceTime> follow_spaces(const recording::Recording& recording, spacetime::Profile profile,
                                const spacetime::EvidenceOptions& options, const spacetime::RunMetrics& metrics = {});

// All of them: three passes over the recording (spacetime/profile/make_profile.h,
// spacetime/evidence/make_evidence.h). Errors: theirs.
Result<SpaceTime> analyse_space_time(const recording::Recording& recording, const SpaceTimeOptions& options = {});

}  // namespace kymo::analysis
