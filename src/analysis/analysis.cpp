#include "analysis/analysis.h"

#include "findings/exact.h"
#include "findings/told.h"
#include "spacetime/exact/load_exact_calls.h"
#include "spacetime/hunt_results/load_hunt_results.h"
#include "spacetime/metrics/channels.h"
#include "spacetime/metrics/stolen_time.h"

#include <utility>

namespace kymo::analysis {
namespace {

// The folder's own name: a command stands where the reader stands, wherever that is.
std::string name_of(const recording::Recording& recording) {
    if (recording.files().empty()) {
        return "REC.kymo";
    }
    const std::string name = recording.files().front().path().parent_path().filename().string();
    return name.empty() ? "REC.kymo" : name;
}

}  // namespace

Result<Analysis> analyse(const recording::Recording& recording, const SpaceTimeOptions& options, Looks looks) {
    Analysis all;
    all.recording = &recording;
    auto profile = load_profile(recording, options);
    if (!profile) {
        return profile.error();
    }
    spacetime::EvidenceOptions spaces = options.spaces;
    if (looks == Looks::kBoth) {
        auto earlier = EarlierLook::of(recording, spaces);
        if (!earlier) {
            return earlier.error();
        }
        all.earlier = std::move(*earlier);
        spaces.looked_at = all.earlier.evidence();
    }
    auto space_time = follow_spaces(recording, std::move(*profile), spaces);
    if (!space_time) {
        return space_time.error();
    }
    static_cast<SpaceTime&>(all) = std::move(*space_time);
    if (options.spaces.on_stage) {
        options.spaces.on_stage("findings");
    }
    auto metrics = spacetime::load_run_metrics(recording.files());
    if (!metrics) {
        return metrics.error();
    }
    all.evidence.run.channels = spacetime::channels_of(*metrics).channels;
    all.evidence.run.steal_ns = spacetime::stolen_time(*metrics);
    auto exact = spacetime::load_exact_calls(recording);
    if (!exact) {
        return exact.error();
    }
    spacetime::tell_nodes(*exact, &all.evidence);
    auto memory = spacetime::load_memory_over_time(recording);
    if (!memory) {
        return memory.error();
    }
    auto judgement = findings::judge_recording(recording, all.evidence);
    if (!judgement) {
        return judgement.error();
    }
    auto results = spacetime::load_hunt_results(recording);
    if (!results) {
        return results.error();
    }
    findings::prefer_exact(all.evidence, *exact, name_of(recording), &*judgement);
    all.judgement = std::move(*judgement);
    all.hunt_results = std::move(*results);
    all.metrics = std::move(*metrics);
    all.memory = std::move(*memory);
    all.exact = std::move(*exact);
    return all;
}

}  // namespace kymo::analysis
