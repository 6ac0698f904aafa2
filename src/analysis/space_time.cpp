#include "analysis/space_time.h"

#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <utility>

namespace kymo::analysis {

Result<SpaceTime> analyse_space_time(const recording::Recording& recording, const SpaceTimeOptions& options) {
    const auto begin = [&](std::string_view stage) {
        if (options.spaces.on_stage) {
            options.spaces.on_stage(stage);
        }
    };
    begin("profile");
    auto profile = spacetime::load_profile(recording, {.below_creators = options.below_creators});
    if (!profile) {
        return profile.error();
    }
    if (options.check) {
        if (auto error = options.check(*profile)) {
            return std::move(*error);
        }
    }
    begin("names");
    spacetime::NamedRun named = spacetime::name_run(*profile, options.spaces.space_share);
    auto evidence = spacetime::make_evidence(recording, *profile, named, options.spaces);
    if (!evidence) {
        return evidence.error();
    }
    // Images whose code cannot be read are told with their names already.
    for (const std::string& warning : evidence->warnings) {
        const auto& told = named.code->problems();
        if (std::find(told.begin(), told.end(), warning) == told.end()) {
            profile->warnings.push_back(warning);
        }
    }
    return SpaceTime{std::move(*profile), std::move(named), std::move(*evidence)};
}

}  // namespace kymo::analysis
