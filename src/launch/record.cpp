#include "launch/record.h"

#include "launch/monitor_library.h"
#include "launch/output.h"
#include "launch/run/run.h"

#include <cstdlib>
#include <memory>
#include <utility>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

// Checks that are possible before anything is made.
Result<Settled> settle(const RecordOptions& options) {
    if (options.command.empty()) {
        return Error{ErrorKind::kUsage, "no program given", "kymo record [OPTIONS] -- PROGRAM ARGUMENTS…"};
    }
    const char* search_path = std::getenv("PATH");
    auto program = find_program(options.command.front(), search_path != nullptr ? search_path : "/usr/bin:/bin",
                                options.from_outside ? Fitness::kAny : Fitness::kForMonitor);
    if (!program) {
        return program.error();
    }
    auto monitor = options.monitor ? Result<fs::path>(*options.monitor) : find_monitor_library();
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
    return std::make_unique<Run>(*settled, *folder)->run();  // too large for a stack
}

}  // namespace kymo::launch
