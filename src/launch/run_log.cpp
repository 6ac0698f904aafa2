#include "launch/run_log.h"

#include "base/native.h"
#include "base/time.h"
#include "image/program_facts.h"
#include "launch/program.h"
#include "recording/tables/memory.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/utsname.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

std::uint64_t task_change(KernelChange change) {
    using recording::TaskChange;
    switch (change) {
        case KernelChange::kFork:
            return static_cast<std::uint64_t>(TaskChange::kFork);
        case KernelChange::kExec:
            return static_cast<std::uint64_t>(TaskChange::kExec);
        case KernelChange::kRename:
            return static_cast<std::uint64_t>(TaskChange::kRename);
        case KernelChange::kExit:
            return static_cast<std::uint64_t>(TaskChange::kExit);
        case KernelChange::kSwitchOut:
        case KernelChange::kSwitchIn:
        case KernelChange::kLost:
        case KernelChange::kMap:
        case KernelChange::kMapData:
        case KernelChange::kFault:
            break;
    }
    return 0;
}

// Both clocks, the wall clock read between two readings of the monotonic one; the closest of a few tries.
recording::ClockPair read_clock_pair() {
    constexpr int kTries = 5;
    recording::ClockPair best;
    best.error = UINT64_MAX;
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t before = monotonic_now().ns;
        const std::uint64_t wall = read_clock(CLOCK_REALTIME).ns;
        const std::uint64_t after = monotonic_now().ns;
        if (after - before < best.error) {
            best = {before, wall, after - before};
        }
    }
    return best;
}

}  // namespace

std::string launch_file(const std::optional<Job>& job) {
    return job ? "launch-" + std::to_string(job->rank) + ".krec" : kLaunchFile;
}

Result<void> RunLog::create(const recording::Folder& folder, const std::optional<Job>& job) {
    const std::string path = folder.path() / launch_file(job);
    recording::FileOptions options;
    options.machine = processor::kMachine;
    options.clock = recording::ClockDomain::kMonotonic;
    options.pid = static_cast<std::uint32_t>(getpid());
    options.producer = kProducer;
    const int error = file_.create(folder.reach(launch_file(job)).c_str(), options);
    if (error == 0) {
        stream_.open(file_, StreamId{0});
        recording::write_schema<recording::Run>(stream_);
        recording::write_schema<recording::RunEnd>(stream_);
        recording::write_schema<recording::Unavailable>(stream_);
        recording::write_schema<recording::Switch>(stream_);
        recording::write_schema<recording::SwitchBrief>(stream_);
        recording::write_schema<recording::Task>(stream_);
        recording::write_schema<recording::KernelLost>(stream_);
        recording::write_schema<recording::ClockPair>(stream_);
        recording::write_schema<recording::ProgramFile>(stream_);
        recording::write_schema<recording::Mapping>(stream_);
        recording::write_schema<recording::PageFault>(stream_);
        recording::write_schema<recording::Area>(stream_);
        recording::write_schema<recording::AreaEnd>(stream_);
        recording::write_schema<recording::Memory>(stream_);
        if (job) {
            recording::write_schema<recording::Rank>(stream_);
            utsname system{};
            uname(&system);
            stream_.append(recording::Rank{job->rank, job->size, system.nodename});
        }
        return {};
    }
    if (error == EEXIST) {
        return Error{ErrorKind::kOutputExists, path + " exists already: another job was recorded into this directory",
                     "use -o with another directory"};
    }
    const bool space = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return Error{space ? ErrorKind::kNoSpace : ErrorKind::kPermission,
                 "cannot write " + path + ": " + std::strerror(error),
                 space ? "free some space, raise ulimit -f, or use -o with a directory on another disk"
                       : "use -o with a directory on a local disk that you may write to"};
}

void RunLog::write_run(std::span<const std::string> command) {
    std::string joined;
    for (const std::string& argument : command) {
        joined += argument;
        joined += '\0';
    }
    utsname system{};
    uname(&system);
    std::error_code ignored;
    const std::string directory = std::filesystem::current_path(ignored);
    const std::string kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
    recording::Run row;
    row.time = monotonic_now().ns;
    row.command = joined;
    row.host = system.nodename;
    row.directory = directory;
    row.kernel = kernel;
    row.producer = kProducer;
    row.processors = static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
    stream_.append(row);
}

void RunLog::write_missing(const events::Missing& missing) {
    recording::Unavailable row;
    row.what = missing.what;
    row.why = missing.why;
    row.remedy = missing.remedy;
    stream_.append(row);
}

void RunLog::write_clock_pair() {
    stream_.append(read_clock_pair());
}

void RunLog::take(const KernelRecord& record) {
    if (const auto row = pairing_.take(record)) {
        ++switches_;
        stream_.append(*row);
    }
    if (record.change == KernelChange::kExec) {
        fresh_.insert(record.pid);
    } else if (record.change == KernelChange::kExit && record.tid == record.pid) {
        fresh_.erase(record.pid);
    }
    if (record.change == KernelChange::kMap) {
        take_map(record);
    } else if (record.change == KernelChange::kMapData) {
        if (record.path == "//anon" || record.path == "[heap]") {
            stream_.append(recording::Mapping{record.time, record.pid, record.tid, record.bytes, record.address});
        }
    } else if (record.change == KernelChange::kFault) {
        stream_.append(recording::PageFault{record.time, record.pid, record.tid, record.address, record.faults});
    } else if (record.change == KernelChange::kLost) {
        lost_ += record.lost;
        recording::KernelLost row;
        row.time = record.time;
        row.records = record.lost;
        stream_.append(row);
    } else if (const std::uint64_t change = task_change(record.change); change != 0) {
        recording::Task row;
        row.time = record.time;
        row.change = change;
        row.pid = record.pid;
        row.tid = record.tid;
        row.parent_pid = record.parent_pid;
        row.parent_tid = record.parent_tid;
        row.name = record.name;
        stream_.append(row);
    }
}

// An exec maps the program's own file before its interpreter's and its libraries'.
void RunLog::take_map(const KernelRecord& record) {
    if (fresh_.erase(record.pid) == 0 || !record.path.starts_with('/')) {
        return;
    }
    const std::string why_not = obstacle(record);
    recording::ProgramFile row;
    row.time = record.time;
    row.pid = record.pid;
    row.path = record.path;
    row.obstacle = why_not;
    row.begin = record.address;
    row.end = record.address + record.bytes;
    stream_.append(row);
}

std::string RunLog::obstacle(const KernelRecord& record) {
    const auto [entry, is_new] = obstacles_.try_emplace(record.path);
    if (is_new) {
        entry->second = monitoring_obstacle(record.path);
    }
    if (!entry->second.empty()) {
        return entry->second;
    }
    // While it lives its root folder can be examined; afterwards the file at least is not at its path here.
    const std::string root = "/proc/" + std::to_string(record.pid) + "/root";
    const bool is_there = !library_.is_absolute() || access((root + library_.string()).c_str(), F_OK) == 0 ||
                          errno != ENOENT || access(root.c_str(), F_OK) != 0;
    if (!is_there) {
        return "has another root directory, in which there is no " + library_.string();
    }
    if (access(record.path.c_str(), F_OK) != 0 && errno == ENOENT) {
        return "was started from a file that cannot be seen from here (another root directory, or removed since)";
    }
    return {};
}

void RunLog::write_barred(const BarredProcess& process) {
    stream_.append(recording::ProgramFile{process.time, process.pid, process.path, process.obstacle});
}

void RunLog::write_end(recording::RunEnd row) {
    for (const recording::Switch& open : pairing_.finish()) {
        stream_.append(open);
    }
    stream_.append(row);
}

void RunLog::close() {
    stream_.release();
    file_.close();
}

}  // namespace kymo::launch
