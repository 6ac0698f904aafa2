#include "launch/finish.h"

#include "events/session.h"
#include "launch/run/short_processes.h"
#include "launch/run_log.h"
#include "recording/bundle.h"
#include "recording/format.h"
#include "recording/pack.h"
#include "recording/reader.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <vector>

namespace kymo::launch {
namespace {

// Those of this run: in a job's folder, of this rank alone.
std::vector<std::string> own_files(const recording::Folder& folder, const std::optional<Job>& job) {
    auto found = folder.names(process_file_ending(job));
    std::vector<std::string> names = found ? *std::move(found) : std::vector<std::string>();
    if (job) {
        names.push_back(launch_file(job));
    }
    return names;
}

bool is_process_file(const std::string& name) {
    return name.starts_with("process-");
}

std::uint64_t bytes_of(const recording::Folder& folder, const std::string& name) {
    struct stat status{};
    const bool known = fstatat(folder.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    return known && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Without what was given back when old rows were condensed.
std::uint64_t bytes_kept(const recording::Folder& folder, const std::string& name) {
    const auto file = recording::File::open(folder, name);
    return file ? file->bytes() - std::min(file->bytes(), file->header().freed_bytes) : 0;
}

bool disk_is_full(const recording::Folder& folder) {
    struct statvfs system{};
    return fstatvfs(folder.descriptor(), &system) == 0 &&
           static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize < recording::kChunkBytes;
}

// One file for a host's ranks: its kernel's boot tells it from hosts of the same name.
std::string bundle_name(const std::optional<Job>& job) {
    constexpr std::size_t kDigits = 8;
    std::string boot;
    if (job) {
        std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
        boot.resize(std::min(boot.size(), kDigits));
        return boot.empty() ? std::string() : "ranks-" + boot + recording::kBundleSuffix;
    }
    return recording::kProcessBundle;
}

// A few files are left as they are, and large ones: copying them again costs more than their number.
void bundle(const recording::Folder& from, const recording::Folder& to, const std::optional<Job>& job,
            const std::vector<std::string>& files) {
    constexpr std::uint64_t kManyRanks = 32;
    const bool is_many = files.size() > recording::kManyFiles || (job && (job->size > kManyRanks || &from != &to));
    if (const std::string name = bundle_name(job); is_many && !name.empty()) {
        // Otherwise they are as readable by themselves.
        static_cast<void>(recording::move_into_bundle(from, files, to, name, recording::kMostBundledBytes));
    }
}

// Where the folder is at the end: it may have been moved or removed.
void find_folder(const recording::Folder& folder, RecordOutcome& outcome) {
    outcome.recording = folder.path();
    if (folder.is_in_place()) {
        return;
    }
    const std::string name = folder.path().string();
    if (const auto now = folder.where_now()) {
        outcome.recording = *now;
        outcome.warnings.push_back("the recording was moved while the program ran: it was " + name);
    } else {
        outcome.gone =
            Error{ErrorKind::kNotFound, "the recording's directory " + name + " was removed while the program ran",
                  "record again with -o and a directory that nothing removes meanwhile"};
    }
}

}  // namespace

EndReason end_reason(EndReason reason, const recording::Folder& folder, const std::optional<Job>& job,
                     std::uint64_t max_bytes, bool log_full) {
    if (log_full || disk_is_full(folder)) {
        return EndReason::kDiskFull;
    }
    if (max_bytes != 0) {
        for (const std::string& file : own_files(folder, job)) {
            // A file is full if another chunk does not fit.
            if (is_process_file(file) && bytes_kept(folder, file) + recording::kChunkBytes > max_bytes) {
                return EndReason::kMaxSize;
            }
        }
    }
    return reason;
}

std::string session_file(const std::optional<Job>& job) {
    return events::kSessionFile + (job ? "-" + std::to_string(job->rank) : std::string());
}

void finish_folder(const recording::Folder& folder, const Stage* stage, RecordOutcome& outcome) {
    const recording::Folder& written = stage != nullptr ? stage->folder() : folder;
    written.remove(session_file(outcome.job));
    outcome.processes += finish_short_processes(written);
    std::vector<std::string> files;
    for (const std::string& file : own_files(written, outcome.job)) {
        outcome.processes += is_process_file(file) && bytes_of(written, file) != 0 ? 1 : 0;
        const auto packed = recording::pack_file(written, file);
        outcome.bytes += bytes_of(written, file);
        // A process that outlives the program still writes it.
        const bool has_writer = !packed && packed.error().kind == ErrorKind::kUnsupported;
        if (!has_writer) {
            files.push_back(file);
        } else if (stage != nullptr) {
            outcome.warnings.push_back(file + " stays in " + written.path().string() +
                                       ": a process still writes it; move it from there when that has ended");
        }
        if (!packed && !has_writer) {
            outcome.warnings.push_back("left unpacked: " + file + ": " + packed.error().what);
        }
    }
    bundle(written, folder, outcome.job, files);
    if (stage != nullptr) {
        const std::vector<std::string> problems = stage->move_to(folder, files);
        outcome.warnings.insert(outcome.warnings.end(), problems.begin(), problems.end());
        stage->remove_if_empty();
    }
    find_folder(folder, outcome);
}

}  // namespace kymo::launch
