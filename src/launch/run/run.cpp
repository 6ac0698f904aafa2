#include "launch/run/run.h"

#include "base/time.h"
#include "launch/finish.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/resource.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

Error exec_failed(const Program& program, int error) {
    return {
        ErrorKind::kNotRunnable, program.path.string() + " cannot be started: " + std::strerror(error),
        error == E2BIG ? "give it fewer or shorter arguments" : "run it by itself to see whether it starts at all"};
}

std::uint64_t to_ns(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

}  // namespace

Run::Run(Settled& settled, const recording::Folder& target, const Stage* stage)
    : settled_(settled),
      target_(target),
      stage_(stage),
      folder_(stage != nullptr ? stage->folder() : target),
      scene_{settled, folder_, log_, 0, 0, false, {}, {}} {
    // In the order in which they act at each step: others' measurements come before the kernel's records of them.
    participants_ = settled.options.participants;
    participants_.insert(participants_.end(), {&kernel_records_, &session_, &short_processes_, &outside_maps_,
                                               &memory_samples_, &kept_history_, &log_rows_});
}

Run::~Run() {
    if (!is_to_keep_) {
        log_.abandon();
        empty_folder(folder_);
        if (stage_ != nullptr) {
            empty_folder(target_);
        }
    }
}

Result<RecordOutcome> Run::run() {
    if (auto begun = begin(); !begun) {
        return begun.error();
    }
    watch();
    return end();
}

Result<void> Run::begin() {
    if (auto opened = open_log(); !opened) {
        return opened;
    }
    if (auto forked = fork_program(); !forked) {
        return forked;
    }
    if (auto told = tell_started(); !told) {
        return told;
    }
    return let_go();
}

Result<void> Run::open_log() {
    if (auto created = log_.create(folder_, settled_.job); !created) {
        is_to_keep_ = created.error().kind == ErrorKind::kOutputExists;
        return created;
    }
    log_.set_library(settled_.monitor);
    return {};
}

Result<void> Run::fork_program() {
    const RecordOptions& options = settled_.options;
    const std::filesystem::path named = settled_.job ? folder_.path() / session_file(settled_.job) : folder_.path();
    const std::filesystem::path channels = options.program_has_channels ? options.channels : std::filesystem::path();
    auto child = Child::fork(
        {settled_.program.path, options.command,
         options.from_outside
             ? own_environment(environ)
             : program_environment(environ, {settled_.monitor, channels, settled_.program.first_library}, named),
         signals_.mask_before(), signals_.child_action_before()});
    if (!child) {
        return child.error();
    }
    child_.emplace(std::move(*child));
    scene_.program = child_->pid();
    return {};
}

Result<void> Run::tell_started() {
    log_.write_run(settled_.options.command);
    scene_.begun = monotonic_now().ns;
    for (RunParticipant* each : participants_) {
        if (auto told = each->started(scene_); !told) {
            return told;
        }
    }
    return {};
}

Result<void> Run::let_go() {
    let_go_ = monotonic_now().ns;
    if (const int error = child_->release(); error != 0) {
        return exec_failed(settled_.program, error);
    }
    is_to_keep_ = true;
    return {};
}

// Returns when the program is gone and waited for.
void Run::watch() {
    const RecordOptions& options = settled_.options;
    program_.emplace(scene_.program, signals_, TimeLimit{options.duration_ns, options.grace_ns});
    scene_.wakers.push_back({signals_.descriptor(), POLLIN, 0});
    std::uint64_t due = 0;
    while (!program_->is_gone()) {
        wait_until(std::min(due, program_->deadline()));
        program_->take_signals();
        program_->reap();
        scene_.is_gone = program_->is_gone();
        const std::uint64_t now = monotonic_now().ns;
        due = kNeverDue;
        for (RunParticipant* each : participants_) {
            due = std::min(due, each->tick(scene_, now));
        }
        program_->keep_time(now);
    }
}

void Run::wait_until(std::uint64_t due) {
    const std::uint64_t now = monotonic_now().ns;
    const std::uint64_t left = due > now ? due - now : 0;
    const timespec timeout{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
    ppoll(scene_.wakers.data(), scene_.wakers.size(), &timeout, nullptr);
}

RecordOutcome Run::end() {
    RecordOutcome outcome;
    outcome.duration_ns = monotonic_now().ns - let_go_;
    outcome.job = settled_.job;
    outcome.wait_status = program_->status();
    outcome.missing = settled_.plan.missing;
    for (RunParticipant* each : participants_) {
        each->ended(scene_, outcome);
    }
    outcome.reason = end_reason(program_->reason(), folder_, settled_.job, settled_.options.max_bytes, log_.full());
    write_end(outcome);
    for (const std::string& name : scene_.temporary) {
        folder_.remove(name);
    }
    finish_folder(target_, stage_, outcome);
    return outcome;
}

void Run::write_end(const RecordOutcome& outcome) {
    const rusage& usage = program_->usage();
    recording::RunEnd end;
    end.time = monotonic_now().ns;
    end.wait_status = static_cast<std::uint64_t>(static_cast<unsigned>(outcome.wait_status));
    end.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // the kernel reports KiB
    end.user_ns = to_ns(usage.ru_utime);
    end.system_ns = to_ns(usage.ru_stime);
    end.reason = static_cast<std::uint64_t>(outcome.reason);
    log_.write_end(end);
    log_.close();
}

void Run::empty_folder(const recording::Folder& folder) const {
    folder.remove(launch_file(settled_.job));
    folder.remove(events::kShortProcesses);
    for (const std::string& name : scene_.temporary) {
        folder.remove(name);
    }
    if (stage_ != nullptr && &folder == &stage_->folder()) {
        stage_->remove_if_empty();
        return;
    }
    if (const auto left = folder.names(""); settled_.job && left && left->size() == 1) {
        folder.remove(kJobFile);
    }
    if (folder.is_in_place()) {
        rmdir(folder.path().c_str());  // only when empty
    }
}

}  // namespace kymo::launch
