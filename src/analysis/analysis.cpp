#include "analysis/analysis.h"

#include "analysis/run_tables.h"
#include "findings/exact.h"
#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/metrics/load_run_metrics.h"

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

// Each group of same spaces.
std::vector<spacetime::CodeOfInterest> heavy_code(const spacetime::Evidence& evidence) {
    std::vector<spacetime::CodeOfInterest> heavy;
    for (const spacetime::SameSpaces& group : evidence.same_spaces) {
        spacetime::CodeOfInterest& code = heavy.emplace_back();
        for (const std::uint32_t member : group.members) {
            code.push_back(&evidence.spaces[member].place);
        }
    }
    return heavy;
}

}  // namespace

Result<Analysis> analyse(const recording::Recording& recording, const SpaceTimeOptions& options, Looks looks) {
    Analysis all;
    all.recording = &recording;
    if (options.spaces.on_stage) {
        options.spaces.on_stage("profile");
    }
    const auto dealt = deal_files(recording, options.spaces.team);
    if (!dealt) {
        return dealt.error();
    }
    RunTables run = read_run(recording, *dealt);
    auto profile = load_described(recording, std::move(run.descriptions), options, *dealt);
    if (!profile) {
        return profile.error();
    }
    spacetime::EvidenceOptions spaces = options.spaces;
    if (looks == Looks::kBoth) {
        all.earlier = EarlierLook::of(recording, spacetime::looked_for(run.looks), spaces);
        spaces.looked_at = all.earlier.evidence();
    }
    const spacetime::LateCode late = spacetime::late_code(run.branches);
    spaces.late_code = &late;
    all.metrics = spacetime::make_run_metrics(std::move(run.metrics));
    auto space_time = follow_spaces(recording, std::move(*profile), spaces, all.metrics);
    if (!space_time) {
        return space_time.error();
    }
    static_cast<SpaceTime&>(all) = std::move(*space_time);
    if (!team::is_first(options.spaces.team)) {
        return all;
    }
    if (options.spaces.on_stage) {
        options.spaces.on_stage("findings");
    }
    all.exact = spacetime::exact_calls(run.exact);
    spacetime::set_exact_calls(all.exact, &all.evidence);
    all.accesses = spacetime::make_memory_accesses(run.accesses);
    all.branches = spacetime::make_branches(run.branches, heavy_code(all.evidence));
    all.memory = spacetime::memory_over_time(std::move(run.memory));
    all.flows = spacetime::run_flows(std::move(run.flows));
    all.judgement = findings::judge_recording(run.findings, all.evidence);
    findings::prefer_exact(all.evidence, all.exact, name_of(recording), &all.judgement);
    all.hunt_results = spacetime::make_hunt_results(spacetime::hunt_rows(std::move(run.hunts)));
    return all;
}

}  // namespace kymo::analysis
