#include "confirm/timed_runs.h"

#include "confirm/aside.h"
#include "confirm/bound_threads.h"
#include "launch/child.h"
#include "launch/child_run.h"
#include "launch/program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace kymo::confirm {
namespace {

// What the user has set in these stays: both kinds of runs have it.
bool is_list(const std::string& name) {
    return name == "LD_PRELOAD" || name == "GLIBC_TUNABLES";
}

std::vector<std::string> with(std::vector<std::string> environment, const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) {
        const std::string begin = setting.name + "=";
        const auto own = std::find_if(environment.begin(), environment.end(),
                                      [&](const std::string& each) { return each.starts_with(begin); });
        if (own == environment.end()) {
            environment.push_back(begin + setting.value);
        } else if (is_list(setting.name) && own->size() > begin.size()) {
            *own += ":" + setting.value;
        } else {
            *own = begin + setting.value;
        }
    }
    return environment;
}

// `experiment`: null: as it is.
Result<Run> run_once(const Command& command, const Experiment* experiment) {
    const Aside aside(command.directory);
    if (aside.failed()) {
        return not_entered(command.directory, aside.failed());
    }
    const char* const path = std::getenv("PATH");
    const auto program =
        launch::find_program(command.words.front(), path != nullptr ? path : "", launch::Fitness::kAny);
    if (!program) {
        return program.error();
    }
    std::optional<BoundThreads> bound;
    if (experiment != nullptr && experiment->binds_threads) {
        bound.emplace();
    }
    const std::vector<Setting> settings = experiment != nullptr ? experiment->settings : std::vector<Setting>();
    const auto begin = std::chrono::steady_clock::now();
    const auto status =
        launch::run_child(program->path, command.words, with(launch::own_environment(environ), settings));
    if (!status) {
        return status.error();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return Run{*status, took.count()};
}

}  // namespace

bool is_stopped(int exit_status) {
    const int signal = exit_status - 128;
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

Error not_entered(const std::filesystem::path& directory, const std::error_code& why) {
    return {ErrorKind::kNotFound,
            fmt::format("the directory in which it ran: {}: {}", directory.string(), why.message()),
            "confirm on the machine, and beside the files, that it was recorded on"};
}

Result<TimedRuns> take_turns(const OneRun& run, std::size_t pairs, const Told& told) {
    const auto first = run(false);
    if (!first) {
        return first.error();
    }
    TimedRuns result;
    result.exit_status = first->exit_status;
    result.is_stopped = is_stopped(first->exit_status);
    while (!result.is_stopped && result.pairs.size() < pairs) {
        Pair pair;
        const bool changed_first = result.pairs.size() % 2 == 1;
        for (const bool is_changed : {changed_first, !changed_first}) {
            const auto next = run(is_changed);
            if (!next) {
                return next.error();
            }
            if (is_stopped(next->exit_status)) {
                result.is_stopped = true;
                return result;
            }
            if (next->exit_status != result.exit_status) {
                return Error{ErrorKind::kUnsupported,
                             fmt::format("the program ended with {} {}, and with {} before: their times cannot be "
                                         "compared",
                                         next->exit_status, is_changed ? "in the experiment" : "this time",
                                         result.exit_status),
                             "run it yourself with these settings (--list shows them)"};
            }
            (is_changed ? pair.changed_s : pair.plain_s) = next->seconds;
        }
        result.pairs.push_back(pair);
        told(result);
    }
    return result;
}

Result<TimedRuns> run_in_turns(const Command& command, const Experiment& experiment, std::size_t pairs,
                               const Told& told) {
    return take_turns([&](bool is_changed) { return run_once(command, is_changed ? &experiment : nullptr); }, pairs,
                      told);
}

}  // namespace kymo::confirm
