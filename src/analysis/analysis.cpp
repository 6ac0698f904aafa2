#include "analysis/analysis.h"

#include "findings/told.h"
#include "spacetime/finds/load_finds.h"

#include <utility>

namespace kymo::analysis {

Result<Analysis> analyse(const recording::Recording& recording, const SpaceTimeOptions& options) {
    auto earlier = EarlierLook::of(recording, options.spaces);
    if (!earlier) {
        return earlier.error();
    }
    Analysis all;
    all.recording = &recording;
    all.earlier = std::move(*earlier);
    SpaceTimeOptions looking = options;
    looking.spaces.looked_at = all.earlier.evidence();
    auto space_time = analyse_space_time(recording, looking);
    if (!space_time) {
        return space_time.error();
    }
    static_cast<SpaceTime&>(all) = std::move(*space_time);
    if (options.spaces.on_stage) {
        options.spaces.on_stage("findings");
    }
    auto judgement = findings::judge_recording(recording, all.evidence);
    if (!judgement) {
        return judgement.error();
    }
    auto finds = spacetime::load_finds(recording);
    if (!finds) {
        return finds.error();
    }
    auto metrics = spacetime::load_run_metrics(recording.files());
    if (!metrics) {
        return metrics.error();
    }
    all.judgement = std::move(*judgement);
    all.finds = std::move(*finds);
    all.metrics = std::move(*metrics);
    all.wait_table = spacetime::make_wait_table(all.profile.waits);
    all.look = all.earlier.join(all.evidence);
    return all;
}

}  // namespace kymo::analysis
