#include "launch/run/recorded_processes.h"

#include "recording/reader.h"
#include "recording/tables.h"

#include <ctime>
#include <optional>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace kymo::launch {
namespace {

namespace rec = recording;

constexpr int kMostLooks = 20;  // at a file that does not name its process yet
constexpr int kDone = kMostLooks;
constexpr std::size_t kManyFiles = 1000;  // from here on the folder is listed at each kListEvery-th call only
constexpr std::uint64_t kListEvery = 10;
// Files may be created with the same modification time after a listing: the kernel's clock for it has ticks.
constexpr std::int64_t kSettled = 50'000'000;

std::int64_t nanoseconds(const timespec& time) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return time.tv_sec * kSecond + time.tv_nsec;
}

std::string own_host() {
    utsname system{};
    uname(&system);
    return system.nodename;
}

// The process that writes a file, by the file's first rows.
struct Writer {
    std::optional<std::uint64_t> pid;
    bool is_ours = true;  // it runs, on this host, in this parent's rank
};

Writer writer_of(const rec::Folder& folder, const std::string& name, const std::optional<Job>& job) {
    Writer writer;
    const auto file = rec::File::open(folder, name);
    if (!file) {
        return writer;
    }
    std::optional<std::uint64_t> rank;
    bool is_known = false;
    const auto scanned = file->scan_streams([](StreamId) { return false; },  // rows of the process alone
                                            rec::on<rec::Process>([&](StreamId, const rec::Process& row) {
                                                writer.pid = rec::number_of(row.pid, row.kernel_pid);
                                                // Otherwise the process's own number may denote another process here.
                                                is_known = row.kernel_pid != rec::kUnknownNumber;
                                            }),
                                            rec::on<rec::Rank>([&](StreamId, const rec::Rank& row) {
                                                rank = row.rank;
                                                writer.is_ours = row.host == own_host();
                                            }));
    if (!scanned) {
        writer.pid.reset();
    }
    writer.is_ours = writer.is_ours && is_known && !file->header().closed && (!job || rank == job->rank);
    return writer;
}

}  // namespace

bool RecordedProcesses::has_changed(const RunScene& scene) {
    struct stat folder{};
    if (stat(scene.folder.path().c_str(), &folder) != 0) {
        return true;  // moved: the listing uses its descriptor
    }
    const std::int64_t changed = nanoseconds(folder.st_mtim);
    if (changed == changed_ && is_settled_ && unclear_ == 0) {
        return false;
    }
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    changed_ = changed;
    is_settled_ = nanoseconds(now) - changed > kSettled;
    return true;
}

const std::vector<RecordedProcesses::Found>& RecordedProcesses::look(const RunScene& scene) {
    if (files_.size() > kManyFiles && ++calls_ % kListEvery != 0) {
        return found_;
    }
    if (!has_changed(scene)) {
        return found_;
    }
    const auto names = scene.folder.names(process_file_ending(scene.settled.job));
    if (!names) {
        return found_;
    }
    unclear_ = 0;
    for (const std::string& name : *names) {
        int& looks = files_[name];
        if (looks == kDone || !name.starts_with("process-")) {
            continue;
        }
        ++looks;
        const Writer writer = writer_of(scene.folder, name, scene.settled.job);
        if (writer.pid) {
            looks = kDone;
            if (writer.is_ours) {
                found_.push_back({*writer.pid, name});
            }
        }
        unclear_ += looks == kDone ? 0 : 1;
    }
    return found_;
}

}  // namespace kymo::launch
