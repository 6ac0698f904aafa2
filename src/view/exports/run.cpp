#include "view/exports/run.h"

#include "analysis/analysis.h"
#include "base/clean_text.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kymo::view {

using namespace spacetime;

const program::Function& ExportRun::function_of(CallNodeIndex node) const {
    return tree.symbols.functions[node.in(tree.nodes).function];
}

const std::string& ExportRun::file_of(CallNodeIndex node) const {
    return tree.symbols.files[node.in(tree.nodes).file];
}

std::uint32_t ExportRun::line_of(CallNodeIndex node) const {
    return node.in(tree.nodes).line;
}

std::vector<TimeRange> ExportRun::times_of(const findings::Finding& finding) const {
    std::vector<TimeRange> times;
    times.reserve(finding.when.size());
    for (const TimeRange& range : finding.when) {
        times.push_back({since_begin(range.begin), since_begin(range.end)});
    }
    if (times.empty()) {
        times.push_back({0, duration});
    }
    return times;
}

CallNodeIndex ExportRun::caller_of(CallNodeIndex node) const {
    const CallNodeIndex parent = node.in(tree.nodes).parent;
    return parent.in(tree.nodes).kind == NodeKind::kProcess ? parent.in(tree.nodes).parent : parent;
}

std::string ExportRun::command_text(const std::vector<std::string>& command) {
    std::string text;
    for (const std::string& word : command) {
        text += (text.empty() ? "" : " ") + clean_text(word);
    }
    return text;
}

std::string ExportRun::thread_name(std::uint32_t thread) const {
    const ProfileThread& one = threads()[thread];
    return one.name.empty() ? fmt::format("thread {}", one.tid) : one.name;
}

std::string ExportRun::process_name(std::uint32_t process) const {
    const ProfileProcess& one = profile.processes[process];
    const std::string& path = one.name.empty() ? one.executable : one.name;
    const std::string name = clean_text(path.substr(path.rfind('/') + 1));
    return name.empty() ? fmt::format("process {}", one.pid) : name;
}

Result<ExportRun> load_export_run(const recording::Recording& recording, const ExportOptions& options,
                                  Findings findings) {
    ExportRun run;
    run.recording = &recording;
    if (findings == Findings::kAll) {
        auto analysis = analysis::analyse(recording, {.below_creators = options.below_creators});
        if (!analysis) {
            return analysis.error();
        }
        run.profile = std::move(analysis->profile);
        run.tree = std::move(analysis->named.tree);
        run.judgement = std::move(analysis->judgement);
    } else {
        auto profile = spacetime::load_profile(recording, {.below_creators = options.below_creators});
        if (!profile) {
            return profile.error();
        }
        run.profile = std::move(*profile);
        run.tree = make_call_tree(run.profile);
    }
    for (const ProfileThread& thread : run.threads()) {
        run.duration = std::max(run.duration, thread.states.end());
    }
    run.duration = std::max(run.duration, run.profile.end);
    run.duration -= std::min(run.duration, run.profile.begin);
    return run;
}

Result<void> walk_run(const ExportRun& run, const std::vector<std::size_t>& events, const OnPiece& on_piece,
                      const OnSample& on_sample) {
    return walk_pieces(
        *run.recording, run.profile, {{0, run.duration}, events},
        [&](const Piece& piece) {
            if (piece.state != ThreadState::kPaused) {
                on_piece(piece);
            }
        },
        on_sample);
}

std::string_view state_word(ThreadState state) {
    switch (state) {
        case ThreadState::kUser:
            return "user";
        case ThreadState::kSystem:
            return "system";
        case ThreadState::kReady:
            return "ready";
        case ThreadState::kWaiting:
            return "waiting";
        case ThreadState::kOff:
            return "off";
        case ThreadState::kPaused:
            return "paused";
        case ThreadState::kSpinning:
            return "spinning";
    }
    return "off";
}

const ThreadWait* wait_of(const ExportRun& run, const Piece& piece) {
    return piece.wait == kNone ? nullptr : &run.threads()[piece.thread].waits[piece.wait];
}

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kymo::view
