#include "launch/finish.h"

#include "events/session.h"
#include "launch/run/short_processes.h"
#include "launch/run_log.h"
#include "recording/format.h"
#include "recording/pack.h"

#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <vector>

namespace kymo::launch {
namespace {

std::vector<std::string> recording_files(const recording::Folder& folder) {
    auto names = folder.names(recording::kFileSuffix);
    return names ? *std::move(names) : std::vector<std::string>();
}

bool is_process_file(const std::string& name) {
    return name.starts_with("process-");
}

std::uint64_t bytes_of(const recording::Folder& folder, const std::string& name) {
    struct stat status{};
    const bool known = fstatat(folder.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    return known && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool disk_is_full(const recording::Folder& folder) {
    struct statvfs system{};
    return fstatvfs(folder.descriptor(), &system) == 0 &&
           static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize < recording::kChunkBytes;
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

EndReason end_reason(EndReason reason, const recording::Folder& folder, std::uint64_t max_bytes, bool log_full) {
    if (log_full || disk_is_full(folder)) {
        return EndReason::kDiskFull;
    }
    if (max_bytes != 0) {
        for (const std::string& file : recording_files(folder)) {
            // A file is full if another chunk does not fit.
            if (is_process_file(file) && bytes_of(folder, file) + recording::kChunkBytes > max_bytes) {
                return EndReason::kMaxSize;
            }
        }
    }
    return reason;
}

std::string session_file(const std::optional<Job>& job) {
    return events::kSessionFile + (job ? "-" + std::to_string(job->rank) : std::string());
}

void finish_folder(const recording::Folder& folder, RecordOutcome& outcome) {
    folder.remove(session_file(outcome.job));
    outcome.processes += finish_short_processes(folder);
    for (const std::string& file : recording_files(folder)) {
        outcome.processes += is_process_file(file) && bytes_of(folder, file) != 0 ? 1 : 0;
        const auto packed = recording::pack_file(folder, file);
        // kUnsupported: a process that outlives the program still writes it.
        if (!packed && packed.error().kind != ErrorKind::kUnsupported) {
            outcome.warnings.push_back("left unpacked: " + file + ": " + packed.error().what);
        }
        outcome.bytes += bytes_of(folder, file);
    }
    find_folder(folder, outcome);
}

}  // namespace kymo::launch
