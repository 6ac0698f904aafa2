#include "launch/record.h"

#include "base/time.h"
#include "events/session_file.h"
#include "launch/child.h"
#include "launch/finish.h"
#include "launch/kernel_rings.h"
#include "launch/monitor_library.h"
#include "launch/other_users.h"
#include "launch/output.h"
#include "launch/private_file.h"
#include "launch/program.h"
#include "launch/record_reach.h"
#include "launch/run_log.h"
#include "launch/short_processes.h"
#include "launch/signals.h"
#include "launch/tracee.h"
#include "recording/folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kDrainEvery = kSecond / 4;
constexpr std::uint64_t kClockPairEvery = 10 * kSecond;
constexpr std::uint64_t kMeanwhileEvery = kSecond / 2;

// Removes the folder again unless the run got as far as to be worth keeping.
class FolderGuard {
  public:
    FolderGuard(const recording::Folder& folder, const std::optional<Job>& job, std::string companion)
        : folder_(folder), job_(job), companion_(std::move(companion)) {}
    FolderGuard(const FolderGuard&) = delete;
    FolderGuard& operator=(const FolderGuard&) = delete;
    ~FolderGuard() {
        if (keep_) {
            return;
        }
        folder_.remove(launch_file(job_));
        folder_.remove(session_file(job_));
        folder_.remove(events::kShortProcesses);
        if (!companion_.empty()) {
            folder_.remove(companion_);
        }
        if (const auto left = folder_.names(""); job_ && left && left->size() == 1) {
            folder_.remove(kJobFile);
        }
        if (folder_.is_in_place()) {
            rmdir(folder_.path().c_str());  // only when empty
        }
    }
    void keep() { keep_ = true; }

  private:
    const recording::Folder& folder_;
    const std::optional<Job>& job_;
    std::string companion_;
    bool keep_ = false;
};

Result<void> write_session(events::Session& session, const RecordOptions& options, const Program& program,
                           const fs::path& monitor, const recording::Folder& folder, const std::optional<Job>& job,
                           pid_t pid) {
    session.pid = static_cast<std::uint32_t>(pid);
    session.signal = static_cast<std::uint32_t>(options.signal != 0  ? options.signal
                                                : program.go_runtime ? SIGPROF
                                                                     : SIGURG);
    session.max_bytes = options.max_bytes;
    session.follow = options.follow;
    session.registers = options.registers;
    // Hunts, plans of hooks and second looks are about every process; ranks share a folder, maybe over a network.
    session.short_processes = options.follow && !job && !options.companion && !options.attach;
    const std::string library = monitor.string();
    if (library.size() >= sizeof session.library) {
        return Error{ErrorKind::kUsage, "the monitor's path is too long", "put Kymo into another folder"};
    }
    std::memcpy(session.library, library.c_str(), library.size() + 1);
    if (options.cells.native().size() < sizeof session.cells) {
        std::memcpy(session.cells, options.cells.c_str(), options.cells.native().size() + 1);
    }
    if (options.channels.native().size() < sizeof session.channels) {
        std::memcpy(session.channels, options.channels.c_str(), options.channels.native().size() + 1);
    }
    const auto text = events::format_session(session);
    if (!text) {
        return text.error();
    }
    return write_private(folder, session_file(job), *text);
}

// The program at run: waits, passes signals on, drains the rings, keeps the time.
class Watch {
  public:
    Watch(pid_t program, const RecordOptions& options, const recording::Folder& folder, SignalWatch& signals,
          KernelRings& rings, RunLog& log, OtherUsers& others)
        : program_(program),
          options_(options),
          folder_(folder),
          signals_(signals),
          rings_(rings),
          log_(log),
          others_(others) {}

    // Returns when the program is gone and waited for.
    void run() {
        const std::uint64_t begun = monotonic_now().ns;
        next_clock_pair_ = begun + kClockPairEvery;
        next_meanwhile_ = options_.meanwhile ? begun + kMeanwhileEvery : UINT64_MAX;
        next_poll_ = options_.poll ? begun + options_.poll_every_ns : UINT64_MAX;
        deadline_ = options_.duration_ns != 0 ? begun + options_.duration_ns : UINT64_MAX;
        while (!gone_) {
            wait();
            take_signals();
            reap();
            const std::uint64_t now = monotonic_now().ns;
            rings_.drain(false, [this](const KernelRecord& record) {
                log_.take(record);
                if (!options_.attach) {  // what is measured from outside is so as any user
                    others_.take(record);
                }
            });
            for (const BarredProcess& process : others_.look()) {
                log_.write_barred(process);
            }
            if (now >= next_clock_pair_) {
                log_.write_clock_pair();
                next_clock_pair_ = now + kClockPairEvery;
            }
            if (now >= next_meanwhile_ && !gone_) {
                options_.meanwhile(folder_.reach(""));
                next_meanwhile_ = monotonic_now().ns + kMeanwhileEvery;
            }
            if (now >= next_poll_ && !gone_) {
                log_.write_others([this](recording::StreamWriter& rows) { options_.poll(rows, false); });
                next_poll_ = now + options_.poll_every_ns;
            }
            if (now >= deadline_ && !gone_) {
                end_program(now);
            }
        }
    }

    [[nodiscard]] int status() const { return status_; }
    [[nodiscard]] const rusage& usage() const { return usage_; }
    [[nodiscard]] EndReason reason() const { return reason_; }

  private:
    void wait() {
        polled_.clear();
        polled_.push_back({signals_.descriptor(), POLLIN, 0});
        rings_.append_poll(polled_);
        const std::uint64_t now = monotonic_now().ns;
        std::uint64_t until = std::min({next_clock_pair_, deadline_, next_meanwhile_, next_poll_});
        if (rings_.is_open()) {
            until = std::min(until, now + kDrainEvery);
        }
        const std::uint64_t left = until > now ? until - now : 0;
        const timespec timeout{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
        ppoll(polled_.data(), polled_.size(), &timeout, nullptr);
    }

    void take_signals() {
        signalfd_siginfo signal{};
        while (signals_.next(signal)) {
            if (is_passed_on(signal)) {
                kill(program_, static_cast<int>(signal.ssi_signo));
            }
            if (asks_to_end(signal) && reason_ == EndReason::kEnded) {
                reason_ = EndReason::kInterrupted;
            }
        }
    }

    void reap() {
        serve_traced_threads(program_);
        int status = 0;
        while (!gone_ && wait4(program_, &status, WNOHANG | WUNTRACED, &usage_) == program_) {
            if (!WIFSTOPPED(status)) {
                status_ = status;
                gone_ = true;
                // Only what ended in consequence counts as interrupted; a program may also shrug a signal off and go
                // on.
                return;
            }
            const int by = WSTOPSIG(status);
            if (continue_tracee(program_, by)) {
                continue;
            }
            if (by == SIGTSTP || by == SIGTTIN || by == SIGTTOU) {
                kill(getpid(), SIGSTOP);
                kill(program_, SIGCONT);
            }
        }
    }

    void end_program(std::uint64_t now) {
        if (!asked_to_end_) {
            asked_to_end_ = true;
            reason_ = EndReason::kDuration;
            kill(program_, SIGTERM);
            kill(program_, SIGCONT);  // a stopped program could not end
            deadline_ = now + options_.grace_ns;
        } else {
            kill(program_, SIGKILL);
            deadline_ = UINT64_MAX;
        }
    }

    pid_t program_;
    const RecordOptions& options_;
    const recording::Folder& folder_;
    SignalWatch& signals_;
    KernelRings& rings_;
    RunLog& log_;
    OtherUsers& others_;
    std::vector<pollfd> polled_;
    std::uint64_t next_clock_pair_ = 0;
    std::uint64_t next_poll_ = UINT64_MAX;
    std::uint64_t deadline_ = UINT64_MAX;
    std::uint64_t next_meanwhile_ = UINT64_MAX;
    bool asked_to_end_ = false;
    bool gone_ = false;
    int status_ = 0;
    rusage usage_{};
    EndReason reason_ = EndReason::kEnded;
};

std::uint64_t to_ns(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

Error exec_failed(const Program& program, int error) {
    return {
        ErrorKind::kNotRunnable, program.path.string() + " cannot be started: " + std::strerror(error),
        error == E2BIG ? "give it fewer or shorter arguments" : "run it by itself to see whether it starts at all"};
}

// The kernel's records, by the parent's rings or (session.own_switches) by the threads themselves.
void settle_records(KernelRings& rings, pid_t program, const events::Machine& machine, bool rank_of_job,
                    events::Plan& plan) {
    const char* set = std::getenv("KYMO_KERNEL_RECORDS");
    const std::string_view asked = set != nullptr ? set : "";
    events::Refusal refusal = why_not_inherited(machine.processors, rank_of_job, asked);
    for (const RecordReach reach : record_reaches(machine.processors, rank_of_job, asked)) {
        if (reach == RecordReach::kOwn && machine.switch_records) {
            plan.session.own_switches = true;
            plan.missing.push_back({"programs and threads without the monitor", refusal.why, refusal.remedy});
            return;
        }
        const int error = rings.open(program, reach);
        if (error == 0) {
            return;
        }
        if (reach == RecordReach::kInherited) {
            events::Machine told = machine;
            told.switch_records = false;
            told.switch_error = error;
            refusal = events::why_no_switch_records(told);
        }
    }
    plan.missing.push_back({"switch and task records", refusal.why, refusal.remedy});
}

// The run, from the fork on. `folder` exists.
Result<RecordOutcome> run_program(const RecordOptions& options, const Program& program, events::Plan& plan,
                                  const events::Machine& machine, const fs::path& monitor,
                                  const recording::Folder& folder, const std::optional<Job>& job,
                                  const Companion& companion) {
    FolderGuard guard(folder, job, companion.file);
    const auto log = std::make_unique<RunLog>();
    if (auto created = log->create(folder, job); !created) {
        if (created.error().kind == ErrorKind::kOutputExists) {
            guard.keep();
        }
        return created.error();
    }
    log->set_library(monitor);
    SignalWatch signals;
    const fs::path named = job ? folder.path() / session_file(job) : folder.path();
    const fs::path channels = options.program_has_channels ? options.channels : fs::path();
    const ChildOptions child_options{
        program.path, options.command,
        options.attach ? own_environment(environ)
                       : program_environment(environ, {monitor, channels, program.first_library}, named),
        signals.mask_before(), signals.child_action_before()};
    auto child = Child::fork(child_options);
    if (!child) {
        log->abandon();
        return child.error();
    }
    if (options.attach) {
        if (auto attached = options.attach(child->pid()); !attached) {
            log->abandon();
            return attached.error();
        }
    }
    KernelRings rings;
    if (machine.performance_events()) {
        settle_records(rings, child->pid(), machine, job.has_value(), plan);
    }
    if (auto written = write_session(plan.session, options, program, monitor, folder, job, child->pid()); !written) {
        log->abandon();
        return written.error();
    }
    if (!companion.file.empty()) {
        auto written = job ? write_shared(folder, companion.file, companion.text, job->rank)
                           : write_private(folder, companion.file, companion.text);
        if (!written) {
            log->abandon();
            return written.error();
        }
    }
    if (plan.session.short_processes) {
        if (auto made = make_short_processes(folder, plan.session); !made) {
            log->abandon();
            return made.error();
        }
    }
    log->write_run(options.command);
    log->write_clock_pair();
    for (const events::Missing& missing : plan.missing) {
        log->write_missing(missing);
    }
    for (const events::Missing& missing : options.missing) {
        log->write_missing(missing);
    }
    if (companion.write_rows) {
        log->write_others(companion.write_rows);
    }
    const std::uint64_t begun = monotonic_now().ns;
    if (const int error = child->release(); error != 0) {
        log->abandon();
        return exec_failed(program, error);
    }
    guard.keep();

    OtherUsers others(folder, monitor);
    Watch watch(child->pid(), options, folder, signals, rings, *log, others);
    watch.run();

    RecordOutcome outcome;
    outcome.duration_ns = monotonic_now().ns - begun;
    if (options.poll) {
        log->write_others([&](recording::StreamWriter& rows) { options.poll(rows, true); });
    }
    rings.drain(true, [&](const KernelRecord& record) { log->take(record); });
    rings.close();
    outcome.job = job;
    outcome.wait_status = watch.status();
    outcome.missing = plan.missing;
    for (const events::Missing& missing : others.missing()) {
        log->write_missing(missing);
        outcome.warnings.push_back("not measured: " + missing.what + ": " + missing.why + "; " + missing.remedy);
    }
    outcome.switches = log->switches();
    outcome.lost = log->lost();
    outcome.reason = end_reason(watch.reason(), folder, options.max_bytes, log->full());
    log->write_clock_pair();
    recording::RunEnd end;
    end.time = monotonic_now().ns;
    end.wait_status = static_cast<std::uint64_t>(static_cast<unsigned>(watch.status()));
    end.peak_bytes = static_cast<std::uint64_t>(watch.usage().ru_maxrss) * 1024;  // the kernel tells KiB
    end.user_ns = to_ns(watch.usage().ru_utime);
    end.system_ns = to_ns(watch.usage().ru_stime);
    end.reason = static_cast<std::uint64_t>(outcome.reason);
    log->write_end(end);
    log->close();
    if (!companion.file.empty()) {
        folder.remove(companion.file);
    }
    finish_folder(folder, outcome);
    return outcome;
}

}  // namespace

Result<RecordOutcome> record(const RecordOptions& options) {
    if (options.command.empty()) {
        return Error{ErrorKind::kUsage, "no program given", "kymo record [OPTIONS] -- PROGRAM ARGUMENTS…"};
    }
    const char* search_path = std::getenv("PATH");
    const auto program = find_program(options.command.front(), search_path != nullptr ? search_path : "/usr/bin:/bin",
                                      options.attach ? Fitness::kAny : Fitness::kForMonitor);
    if (!program) {
        return program.error();
    }
    const auto monitor = options.monitor ? Result<fs::path>(*options.monitor) : find_monitor_library();
    if (!monitor) {
        return monitor.error();
    }
    events::KernelOpener opener;
    const events::Machine machine = events::probe(opener);
    auto plan = events::plan_events(options.events, machine, opener);
    if (!plan) {
        return plan.error();
    }
    Companion companion;
    if (options.companion) {
        auto made = options.companion(plan->session);
        if (!made) {
            return made.error();
        }
        companion = std::move(*made);
    }
    const std::optional<Job> job = current_job();
    const auto path = make_recording_folder(options.output, options.command.front(), job);
    if (!path) {
        return path.error();
    }
    const auto folder = recording::Folder::open_own(*path);
    if (!folder) {
        return folder.error();
    }
    return run_program(options, *program, *plan, machine, *monitor, *folder, job, companion);
}

}  // namespace kymo::launch
