#include "launch/finish.h"

#include "events/session.h"
#include "launch/run_log.h"
#include "recording/format.h"
#include "recording/pack.h"

#include <algorithm>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <vector>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> recording_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == ".krec") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool is_process_file(const fs::path& file) {
    return file.filename().string().starts_with("process-");
}

bool disk_is_full(const fs::path& folder) {
    struct statvfs system{};
    return statvfs(folder.c_str(), &system) == 0 &&
           static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize < recording::kChunkBytes;
}

}  // namespace

EndReason end_reason(EndReason reason, const fs::path& folder, std::uint64_t max_bytes, bool log_full) {
    if (log_full || disk_is_full(folder)) {
        return EndReason::kDiskFull;
    }
    if (max_bytes != 0) {
        for (const fs::path& file : recording_files(folder)) {
            std::error_code ignored;
            // A file is full when there is no room for another chunk.
            if (is_process_file(file) && fs::file_size(file, ignored) + recording::kChunkBytes > max_bytes) {
                return EndReason::kMaxSize;
            }
        }
    }
    return reason;
}

std::string session_file(const std::optional<Job>& job) {
    return events::kSessionFile + (job ? "-" + std::to_string(job->rank) : std::string());
}

void finish_folder(const fs::path& folder, RecordOutcome& outcome) {
    std::error_code ignored;
    fs::remove(folder / session_file(outcome.job), ignored);
    for (const fs::path& file : recording_files(folder)) {
        outcome.processes += is_process_file(file) ? 1 : 0;
        const auto packed = recording::pack_file(file);
        // kUnsupported: a process that outlives the program still writes it.
        if (!packed && packed.error().kind != ErrorKind::kUnsupported) {
            outcome.warnings.push_back("left unpacked: " + file.filename().string() + ": " + packed.error().what);
        }
        outcome.bytes += static_cast<std::uint64_t>(fs::file_size(file, ignored));
    }
}

}  // namespace kymo::launch
