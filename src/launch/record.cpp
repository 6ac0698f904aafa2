#include "launch/record.h"

#include "launch/monitor_library.h"
#include "launch/output.h"
#include "launch/run/run.h"
#include "launch/stage.h"
#include "recording/bundle.h"

#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

// Checks that are possible before anything is made.
Result<Settled> settle(const RecordOptions& options) {
    if (options.command.empty()) {
        return Error{ErrorKind::kUsage, "no program given", "kymo record [OPTIONS] -- PROGRAM ARGUMENTS…"};
    }
    if (options.stage) {
        if (auto good = Stage::check(*options.stage); !good) {
            return good.error();
        }
    }
    const char* search_path = std::getenv("PATH");
    auto program = find_program(options.command.front(), search_path != nullptr ? search_path : "/usr/bin:/bin",
                                options.from_outside ? Fitness::kAny : Fitness::kForMonitor);
    if (!program) {
        return program.error();
    }
    auto monitor = options.monitor || options.from_outside ? Result<fs::path>(options.monitor.value_or(fs::path()))
                                                           : find_monitor_library();
    if (!monitor) {
        return monitor.error();
    }
    events::KernelOpener opener;
    const events::Machine machine = events::probe(opener);
    auto plan = events::plan_events(options.events, machine, opener);
    if (!plan) {
        return plan.error();
    }
    return Settled{options, std::move(*program), std::move(*monitor), machine, std::move(*plan), {}};
}

// A rank that has ended has left its file in the job's folder, or in a bundle there.
Result<void> refuse_known_rank(const recording::Folder& folder, const std::optional<Job>& job) {
    if (!job) {
        return {};
    }
    const std::string name = launch_file(job);
    const bool is_there = faccessat(folder.descriptor(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && !recording::is_in_bundle(folder, name)) {
        return {};
    }
    return Error{ErrorKind::kOutputExists,
                 (folder.path() / name).string() + " exists already: another job was recorded into this directory",
                 "use -o with another directory"};
}

}  // namespace

Result<RecordOutcome> record(const RecordOptions& options) {
    auto settled = settle(options);
    if (!settled) {
        return settled.error();
    }
    for (RunParticipant* each : options.participants) {
        if (auto prepared = each->prepare(options, settled->plan.session); !prepared) {
            return prepared.error();
        }
    }
    settled->job = current_job();
    const auto path = make_recording_folder(options.output, options.command.front(), settled->job);
    if (!path) {
        return path.error();
    }
    const auto folder = recording::Folder::open_own(*path);
    if (!folder) {
        return folder.error();
    }
    if (auto refused = refuse_known_rank(*folder, settled->job); !refused) {
        return refused.error();
    }
    std::optional<Stage> stage;
    if (options.stage) {
        auto made = Stage::make(*options.stage, *path, settled->job);
        if (!made) {
            rmdir(path->c_str());  // only when empty
            return made.error();
        }
        stage = std::move(made).value();
    }
    return std::make_unique<Run>(*settled, *folder, stage ? &*stage : nullptr)->run();  // too large for a stack
}

}  // namespace kymo::launch
