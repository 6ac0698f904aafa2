#include "confirm/timed_runs.h"

#include "launch/child.h"
#include "launch/child_run.h"
#include "launch/program.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace kymo::confirm {
namespace {

namespace fs = std::filesystem;

// By a signal that asks for an end; the program gets it from the terminal, or from us.
bool is_stopped(int exit_status) {
    const int signal = exit_status - 128;
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// While it lives, the standard descriptors are /dev/null, and this process is in the program's directory.
class Aside {
  public:
    explicit Aside(const fs::path& directory) : before_(fs::current_path(failed_)) {
        const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (std::size_t i = 0; i < saved_.size(); ++i) {
            const auto descriptor = static_cast<int>(i);
            saved_[i] = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
            (void)dup2(nowhere, descriptor);
        }
        (void)close(nowhere);
        fs::current_path(directory, failed_);
    }
    ~Aside() {
        for (std::size_t i = 0; i < saved_.size(); ++i) {
            const auto descriptor = static_cast<int>(i);
            (void)(saved_[i] >= 0 ? dup2(saved_[i], descriptor) : close(descriptor));
            if (saved_[i] >= 0) {
                (void)close(saved_[i]);
            }
        }
        std::error_code ignored;
        fs::current_path(before_, ignored);
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

    const std::error_code& failed() const { return failed_; }

  private:
    std::error_code failed_;
    fs::path before_;
    std::array<int, 3> saved_ = {-1, -1, -1};
};

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

struct Run {
    int exit_status = 0;
    double seconds = 0;
};

class Runs {
  public:
    Runs(const std::vector<std::string>& command, fs::path directory)
        : command_(command), directory_(std::move(directory)) {}

    Result<Run> one(const std::vector<Setting>& settings) const {
        const Aside aside(directory_);
        if (aside.failed()) {
            return Error{
                ErrorKind::kNotFound,
                fmt::format("the directory in which it ran: {}: {}", directory_.string(), aside.failed().message()),
                "confirm on the machine, and beside the files, that it was recorded on"};
        }
        const char* const path = std::getenv("PATH");
        const auto program =
            launch::find_program(command_.front(), path != nullptr ? path : "", launch::Fitness::kAny);
        if (!program) {
            return program.error();
        }
        const auto begin = std::chrono::steady_clock::now();
        const auto status =
            launch::run_child(program->path, command_, with(launch::own_environment(environ), settings));
        if (!status) {
            return status.error();
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        return Run{*status, took.count()};
    }

  private:
    const std::vector<std::string>& command_;
    fs::path directory_;
};

}  // namespace

Result<TimedRuns> run_in_turns(const std::vector<std::string>& command, const std::filesystem::path& directory,
                               const std::vector<Setting>& settings, std::size_t pairs,
                               const std::function<void(const TimedRuns&)>& told) {
    const Runs runs(command, directory);
    const auto first = runs.one({});
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
            const auto run = runs.one(is_changed ? settings : std::vector<Setting>{});
            if (!run) {
                return run.error();
            }
            if (is_stopped(run->exit_status)) {
                result.is_stopped = true;
                return result;
            }
            if (run->exit_status != result.exit_status) {
                return Error{
                    ErrorKind::kUnsupported,
                    fmt::format("the program ended with {} {}, and with {} before: their times cannot be "
                                "compared",
                                run->exit_status, is_changed ? "in the experiment" : "this time", result.exit_status),
                    "run it yourself with these settings (--list shows them)"};
            }
            (is_changed ? pair.changed_s : pair.plain_s) = run->seconds;
        }
        result.pairs.push_back(pair);
        told(result);
    }
    return result;
}

}  // namespace kymo::confirm
