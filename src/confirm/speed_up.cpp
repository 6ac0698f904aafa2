#include "confirm/speed_up.h"

#include "confirm/aside.h"
#include "events/speed_up.h"
#include "launch/private_file.h"
#include "launch/record.h"
#include "launch/run/companion_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace kymo::confirm {
namespace {

namespace fs = std::filesystem;

using events::SpeedUpAccount;

constexpr double kNanosecond = 1e-9;
// A run's effective time is at least this part of the time that it took: its logarithm is taken.
constexpr double kLeastOfRun = 0.001;

// The two files of a run, and the account as the monitors have left it.
class SpeedUpFiles final : public launch::CompanionFile {
  public:
    SpeedUpFiles(const std::string& code, double part) : CompanionFile(events::kSpeedUpCodeFile, code) {
        account_.part = static_cast<std::uint64_t>(std::llround(part * double{SpeedUpAccount::kWhole}));
    }

    Result<void> started(launch::RunScene& scene) override {
        scene.temporary.emplace_back(events::kSpeedUpFile);
        std::string bytes(sizeof account_, '\0');
        std::memcpy(bytes.data(), &account_, sizeof account_);
        if (auto written = launch::write_private(scene.folder, events::kSpeedUpFile, bytes); !written) {
            return written;
        }
        return CompanionFile::started(scene);
    }

    void ended(launch::RunScene& scene, launch::RecordOutcome& /*outcome*/) override {
        const int file = openat(scene.folder.descriptor(), events::kSpeedUpFile, O_RDONLY | O_CLOEXEC);
        SpeedUpAccount read;
        if (file >= 0 && ::read(file, &read, sizeof read) == ssize_t{sizeof read}) {
            account_ = read;
        }
        if (file >= 0) {
            close(file);
        }
    }

    const SpeedUpAccount& account() const { return account_; }

  private:
    SpeedUpAccount account_;
};

struct RecordedRun {
    Run run;
    SpeedUpAccount account;
};

class Recorded {
  public:
    Recorded(const Command& command, const SpeedUp& wanted)
        : command_(command), code_(events::format_kept_code(0, wanted.code)) {}

    Result<RecordedRun> run(double part) {
        const Aside aside(command_.directory);
        if (aside.failed()) {
            return not_entered(command_.directory, aside.failed());
        }
        std::error_code ignored;
        const fs::path folder =
            fs::temp_directory_path(ignored) / fmt::format("kymo-confirm-{}-{}", getpid(), ++count_);
        SpeedUpFiles files(code_, part);
        launch::RecordOptions options;
        options.command = command_.words;
        options.output = folder;
        files.fit(options);
        const auto recorded = launch::record(options);
        fs::remove_all(folder, ignored);
        if (!recorded) {
            return recorded.error();
        }
        if (recorded->processes == 0) {
            return Error{ErrorKind::kNotRunnable, "the program ran without the monitor: it cannot be slowed",
                         "check that it does not clear LD_PRELOAD"};
        }
        const double took = static_cast<double>(recorded->duration_ns) * kNanosecond;
        const double delay = static_cast<double>(files.account().delay_ns) * kNanosecond;
        return RecordedRun{{recorded->exit_status(), std::max(took - delay, kLeastOfRun * took)}, files.account()};
    }

  private:
    const Command& command_;
    std::string code_;
    std::size_t count_ = 0;
};

std::optional<Error> why_not(const SpeedUpAccount& account) {
    const auto unsupported = [](std::string what, const char* next) {
        return Error{ErrorKind::kUnsupported, std::move(what), next};
    };
    if (account.inside_samples == 0) {
        return unsupported("no sample of this run lies in the function: nothing in it can be made faster",
                           "record the program again, if it has changed since");
    }
    if (account.processes > 1) {
        return unsupported(fmt::format("the function runs in {} processes, and a virtual speed-up delays the threads "
                                       "of one",
                                       account.processes),
                           "confirm it on a part of the work that one process does");
    }
    if (account.ended < account.processes) {
        return unsupported(
            "the process of the function was killed, or left by an instruction of its own: its delays "
            "are not known",
            "confirm it with a command that ends by itself");
    }
    return std::nullopt;
}

}  // namespace

Result<SpeedUpRuns> run_faster(const Command& command, const SpeedUp& wanted, std::size_t pairs, const Told& told) {
    if (wanted.part <= 0 && wanted.stake_s <= 0) {
        return Error{ErrorKind::kUnsupported, "what the finding costs is not known, so neither is a speed-up to try",
                     "choose one, in percent of the function's time: --speed-up 50"};
    }
    Recorded recorded(command, wanted);
    SpeedUpRuns result;
    bool is_first = true;
    auto timed = take_turns(
        [&](bool is_changed) -> Result<Run> {
            const auto outcome = recorded.run(is_changed ? result.part : 0);
            if (!outcome) {
                return outcome.error();
            }
            const SpeedUpAccount& account = outcome->account;
            // A run that Ctrl-C has ended has no account.
            if (auto error = why_not(account); error && !is_stopped(outcome->run.exit_status)) {
                return *error;
            }
            if (is_first) {
                is_first = false;
                result.inside_s = static_cast<double>(account.inside_ns) * kNanosecond;
                const double all = std::max(result.inside_s, kNanosecond);
                result.part = wanted.part > 0 ? wanted.part : std::min(1.0, wanted.stake_s / all);
                result.of_stake = wanted.stake_s > 0 ? result.part * all / wanted.stake_s : 0;
            }
            return outcome->run;
        },
        pairs, told);
    if (!timed) {
        return timed.error();
    }
    result.timed = std::move(*timed);
    return result;
}

}  // namespace kymo::confirm
