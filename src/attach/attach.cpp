#include "attach/attach.h"

#include "attach/asleep.h"
#include "attach/live_builder.h"
#include "attach/live_samples.h"
#include "attach/present.h"
#include "attach/targets.h"
#include "base/descriptor.h"
#include "base/time.h"
#include "launch/finish.h"
#include "launch/output.h"
#include "launch/run_log.h"
#include "launch/signals.h"
#include "recording/folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;

struct Targets {
    Scope scope;
    Descriptor cgroup;
    std::vector<pid_t> processes;
};

Result<Targets> find_targets(const AttachOptions& options) {
    Targets targets;
    targets.processes = options.processes;
    targets.scope.machine = options.machine;
    if (options.machine) {
        targets.processes = all_processes();
        return targets;
    }
    if (!options.cgroup.empty()) {
        targets.cgroup = Descriptor(::open(options.cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!targets.cgroup) {
            return Error{ErrorKind::kNotFound, options.cgroup.string() + ": " + std::strerror(errno),
                         "name the directory of a control group below /sys/fs/cgroup"};
        }
        targets.scope.cgroup = targets.cgroup.number();
        targets.processes = processes_of_group(options.cgroup);
        return targets;
    }
    if (!options.named.empty()) {
        targets.processes = processes_named(options.named);
        if (targets.processes.empty()) {
            return Error{ErrorKind::kNotFound, "no process is named " + options.named,
                         "the kernel's names have at most 15 letters: ps -eo pid,comm"};
        }
    }
    auto threads = threads_of(targets.processes);
    if (!threads) {
        return threads.error();
    }
    targets.scope.threads = *std::move(threads);
    return targets;
}

std::string recording_name(const AttachOptions& options, const Targets& targets) {
    if (options.machine) {
        return "machine";
    }
    if (!options.cgroup.empty()) {
        return options.cgroup.filename().empty() ? "cgroup" : options.cgroup.filename().string();
    }
    return name_of(targets.processes.front());
}

std::vector<std::string> command(const AttachOptions& options, const Targets& targets) {
    if (options.machine) {
        return {"[all of the machine]"};
    }
    if (!options.cgroup.empty()) {
        return {"[" + options.cgroup.string() + "]"};
    }
    return command_of(targets.processes.front());
}

class Attachment {
  public:
    Attachment(const AttachOptions& options, const recording::Folder& folder)
        : options_(options),
          folder_(folder),
          files_(folder),
          builder_options_(live_builder_options(!options.machine, files_, names_)),
          builder_(folder, builder_options_, log_) {}

    Result<void> begin(const Targets& targets) {
        if (auto opened = samples_.open(targets.scope, options_.samples); !opened) {
            return opened;
        }
        if (auto created = log_.create(folder_); !created) {
            return created;
        }
        log_.write_run(command(options_, targets));
        log_.write_clock_pair();
        begun_ = monotonic_now().ns;
        if (auto begun = begin_live(builder_, builder_options_, samples_.rings(), begun_); !begun) {
            return begun;
        }
        // The kernel's records begin before the processes are read, so that what changes meanwhile is seen twice
        // rather than not at all.
        samples_.rings().enable(true);
        import::perf::Visitor& records = samples_.deliver_to(builder_);
        for (const pid_t process : targets.processes) {
            show_present(process, begun_, records);
            show_asleep(process);
        }
        return {};
    }

    void watch() {
        std::vector<pollfd> wakers = {{signals_.descriptor(), POLLIN, 0}};
        samples_.rings().append_poll(wakers);
        const std::uint64_t deadline = options_.duration_ns == 0 ? UINT64_MAX : begun_ + options_.duration_ns;
        std::uint64_t due = 0;
        while (true) {
            std::uint64_t now = monotonic_now().ns;
            const std::uint64_t until = std::min(due, deadline);
            const std::uint64_t left = until > now ? until - now : 0;
            const timespec timeout{static_cast<time_t>(left / kNsPerSecond), static_cast<long>(left % kNsPerSecond)};
            ppoll(wakers.data(), wakers.size(), &timeout, nullptr);
            samples_.drain(false);
            now = monotonic_now().ns;
            due = now + kDrainEvery;
            if (is_asked_to_end()) {
                reason_ = launch::EndReason::kInterrupted;
                return;
            }
            if (now >= deadline) {
                reason_ = launch::EndReason::kDuration;
                return;
            }
            if (builder_.enough() || log_.full() ||
                (!options_.machine && options_.cgroup.empty() && !builder_.has_live_process())) {
                return;
            }
        }
    }

    Result<launch::RecordOutcome> end() {
        SampleRings& rings = samples_.rings();
        rings.enable(false);
        samples_.drain(true);
        const std::uint64_t ended = monotonic_now().ns;
        rings.close();
        if (builder_options_.every_process) {
            builder_.write_all_known();
        }
        if (auto finished = builder_.finish(ended); !finished) {
            return finished.error();
        }
        launch::RecordOutcome outcome;
        outcome.missing = missing_from_outside(rings.has_wakes());
        outcome.missing.insert(outcome.missing.end(), rings.missing().begin(), rings.missing().end());
        if (is_refused_sleepers_) {
            outcome.missing.push_back({"where threads wait that slept already when the recording began",
                                       "the kernel does not let this user read the stacks of these processes",
                                       "sysctl kernel.yama.ptrace_scope=0, or run as root"});
        }
        if (auto names = import::missing_generated_names(builder_.counts())) {
            outcome.missing.push_back(*std::move(names));
        }
        for (const events::Missing& missing : outcome.missing) {
            log_.write_missing(missing);
        }
        outcome.reason = launch::end_reason(reason_, folder_, std::nullopt, 0, log_.full());
        outcome.duration_ns = ended - begun_;
        outcome.switches = log_.switches();
        outcome.lost = builder_.counts().lost;
        recording::RunEnd row;
        row.time = ended;
        row.reason = static_cast<std::uint64_t>(launch::EndReason::kAttached);
        log_.write_end(row);
        log_.close();
        launch::finish_folder(folder_, nullptr, outcome);
        return outcome;
    }

    void abandon() { log_.abandon(); }

  private:
    // Where its threads sleep, which no record says before they wake.
    void show_asleep(pid_t process) {
        const auto threads = threads_of(std::array{process});
        if (!threads) {
            return;
        }
        for (const pid_t thread : *threads) {
            const std::uint32_t stack =
                options_.samples.fits_stack ? kMostStackBytes : options_.samples.stack_bytes;  // once
            const Asleep asleep = read_asleep(process, thread, stack);
            if (asleep.end == AsleepEnd::kRead) {
                builder_.asleep(static_cast<std::uint32_t>(process), static_cast<std::uint32_t>(thread), begun_,
                                asleep.sleeper);
            }
            is_refused_sleepers_ = is_refused_sleepers_ || asleep.end == AsleepEnd::kRefused;
        }
    }

    bool is_asked_to_end() {
        signalfd_siginfo signal{};
        bool is_asked = false;
        while (signals_.next(signal)) {
            is_asked = is_asked || launch::asks_to_end(signal);
        }
        return is_asked;
    }

    const AttachOptions& options_;
    const recording::Folder& folder_;
    launch::SignalWatch signals_;
    LiveFiles files_;
    LiveNames names_;
    import::BuilderOptions builder_options_;
    launch::RunLog log_;
    import::RecordingBuilder builder_;
    LiveSamples samples_;
    bool is_refused_sleepers_ = false;
    std::uint64_t begun_ = 0;
    launch::EndReason reason_ = launch::EndReason::kEnded;
};

}  // namespace

std::vector<events::Missing> missing_from_outside(bool has_wakes) {
    const std::string remedy = "start the program with kymo record, where that can be done";
    return {{has_wakes ? "waits that spin" : "who held a lock, and waits that spin",
             "these are seen from inside the program alone", remedy}};
}

Result<launch::RecordOutcome> attach(const AttachOptions& options, const std::function<void(std::size_t)>& started) {
    auto targets = find_targets(options);
    if (!targets) {
        return targets.error();
    }
    const auto path = launch::make_recording_folder(options.output, recording_name(options, *targets));
    if (!path) {
        return path.error();
    }
    const auto folder = recording::Folder::open_own(*path);
    if (!folder) {
        return folder.error();
    }
    Attachment attachment(options, *folder);
    if (auto begun = attachment.begin(*targets); !begun) {
        attachment.abandon();
        folder->remove(launch::launch_file(std::nullopt));
        rmdir(path->c_str());  // only when empty
        return begun.error();
    }
    if (started) {
        started(targets->processes.size());
    }
    attachment.watch();
    return attachment.end();
}

}  // namespace kymo::attach
