#include "launch/run/kept_history.h"

#include "base/time.h"
#include "recording/history/condense_file.h"
#include "recording/history/history_lock.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <utility>

namespace kymo::launch {
namespace {

namespace rec = recording;

constexpr std::uint64_t kPeriod = 100'000'000;    // ns
constexpr std::uint64_t kSoon = 5'000'000;        // ns: while a reader is there
constexpr std::uint64_t kPeriodOfFile = 100'000;  // ns
constexpr std::uint64_t kQuarter = 4;

}  // namespace

Result<void> KeptHistory::started(RunScene& scene) {
    const std::uint64_t most = scene.settled.options.max_bytes;
    if (most == 0) {
        return {};
    }
    if (!rec::make_history_lock(scene.folder)) {
        scene.log.write_missing({"history beyond --max-size", "the recording's file system has no locks",
                                 "record onto another one, or with --stage"});
        return {};
    }
    if (!scene.settled.job) {  // other ranks go on
        scene.temporary.emplace_back(rec::kHistoryLock);
    }
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    files_.push_back(launch_file(scene.settled.job));
    thread_ = std::thread([this, &folder = scene.folder, most] { work(folder, most); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {};
}

std::uint64_t KeptHistory::tick(RunScene& scene, std::uint64_t now) {
    if (!thread_.joinable() || scene.is_gone) {
        return kNeverDue;
    }
    const auto& found = recorded_.look(scene);
    const std::lock_guard lock(mutex_);
    for (; taken_ < found.size(); ++taken_) {
        files_.push_back(found[taken_].file);
    }
    return now + kPeriod;
}

void KeptHistory::ended(RunScene& scene, RecordOutcome& /*outcome*/) {
    stop();
    if (problem_) {
        scene.log.write_missing({"history beyond --max-size", problem_->what, "raise --max-size"});
    }
}

void KeptHistory::stop() {
    if (thread_.joinable()) {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
}

void KeptHistory::work(const rec::Folder& folder, std::uint64_t most_bytes) {
    for (std::uint64_t rest = kPeriod;;) {
        std::vector<std::string> files;
        {
            std::unique_lock lock(mutex_);
            wake_.wait_for(lock, std::chrono::nanoseconds(rest), [this] { return is_over_; });
            if (is_over_) {
                return;
            }
            files = files_;
        }
        bool is_held = false;
        for (const std::string& name : files) {
            is_held = !look_at(folder, name, most_bytes) || is_held;
        }
        rest = std::max(is_held ? kSoon : kPeriod, kPeriodOfFile * files.size());
    }
}

bool KeptHistory::look_at(const rec::Folder& folder, const std::string& name, std::uint64_t most_bytes) {
    const std::uint64_t taken = rec::bytes_taken(folder, name);
    if (taken == 0) {  // it has ended
        const std::lock_guard lock(mutex_);
        std::erase(files_, name);
        return true;
    }
    const auto again = not_below_.find(name);
    if (taken < most_bytes / kQuarter * 3 || (again != not_below_.end() && taken < again->second)) {
        return true;
    }
    const auto lock = rec::take_history(folder);
    if (!lock) {
        return false;
    }
    const auto done = rec::condense_file(folder, name, {most_bytes / 2, monotonic_now().ns});
    if (!done) {
        not_below_[name] = UINT64_MAX;
        const std::lock_guard guard(mutex_);
        problem_ = problem_ ? problem_ : done.error();
        return true;
    }
    // What cannot be made smaller is not tried again at once.
    not_below_[name] = done->bytes + most_bytes / (kQuarter * kQuarter);
    return true;
}

}  // namespace kymo::launch
