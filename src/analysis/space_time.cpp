#include "analysis/space_time.h"

#include "spacetime/evidence/make_evidence.h"
#include "spacetime/load/load_files.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/thread_names.h"

#include <algorithm>
#include <utility>

namespace kymo::analysis {
namespace {

void begin(const spacetime::EvidenceOptions& options, std::string_view stage) {
    if (options.on_stage) {
        options.on_stage(stage);
    }
}

}  // namespace

Result<spacetime::Profile> load_profile(const recording::Recording& recording, const SpaceTimeOptions& options) {
    begin(options.spaces, "profile");
    return load_described(recording, spacetime::describe_files(recording.files()), options);
}

Result<spacetime::Profile> load_described(const recording::Recording& recording,
                                          std::vector<Result<spacetime::FileData>> described,
                                          const SpaceTimeOptions& options, const DealtFiles& dealt) {
    auto profile = spacetime::load_described(
        recording, std::move(described),
        {.below_creators = options.below_creators, .team = dealt.team, .owner = dealt.owner});
    if (profile && options.check) {
        if (auto error = options.check(*profile)) {
            return std::move(*error);
        }
    }
    return profile;
}

Result<SpaceTime> follow_spaces(const recording::Recording& recording, spacetime::Profile profile,
                                const spacetime::EvidenceOptions& options, const spacetime::RunMetrics& metrics) {
    begin(options, "names");
    spacetime::NamedRun named = spacetime::name_run(profile, options.space_share, options.team);
    spacetime::name_threads(named.tree, &profile);
    auto evidence = spacetime::make_evidence(recording, profile, named, options, metrics);
    if (!evidence) {
        return evidence.error();
    }
    // Images whose code cannot be read are already in the warnings with their names.
    for (const std::string& warning : evidence->warnings) {
        const auto& told = named.code->problems();
        if (std::find(told.begin(), told.end(), warning) == told.end()) {
            profile.warnings.push_back(warning);
        }
    }
    return SpaceTime{std::move(profile), std::move(named), std::move(*evidence)};
}

Result<SpaceTime> analyse_space_time(const recording::Recording& recording, const SpaceTimeOptions& options) {
    auto profile = load_profile(recording, options);
    if (!profile) {
        return profile.error();
    }
    return follow_spaces(recording, std::move(*profile), options.spaces);
}

}  // namespace kymo::analysis
