#include "launch/run/memory_samples.h"

#include "base/namespaces/proc_link.h"
#include "base/time.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "recording/tables/memory.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <optional>
#include <sys/utsname.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

namespace rec = recording;

constexpr std::uint64_t kPeriodsOfLife =
    16;                         // until the longest period: one reading each sixteenth of the time so far
constexpr int kMostLooks = 20;  // into a file that does not say whose it is
constexpr int kDone = kMostLooks;
constexpr std::size_t kManyFiles = 1000;  // of the folder: listed at each kListEvery-th time only
constexpr std::uint64_t kListEvery = 10;

std::optional<Resident> read_statm(int descriptor) {
    std::array<char, 128> text{};
    const ssize_t bytes = pread(descriptor, text.data(), text.size(), 0);
    if (bytes <= 0) {
        return std::nullopt;
    }
    return parse_statm({text.data(), static_cast<std::size_t>(bytes)},
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

std::string own_host() {
    utsname system{};
    uname(&system);
    return system.nodename;
}

// Whose file it is, by its first rows.
struct Writer {
    std::optional<std::uint64_t> pid;
    bool is_ours = true;  // it lives, on this host, in this parent's rank
};

Writer writer_of(const rec::Folder& folder, const std::string& name, const std::optional<Job>& job) {
    Writer writer;
    const auto file = rec::File::open(folder, name);
    if (!file) {
        return writer;
    }
    std::optional<std::uint64_t> rank;
    bool is_known = false;
    const auto scanned = file->scan_part({.part = 0, .parts = UINT32_MAX},  // rows of the process alone
                                         rec::on<rec::Process>([&](StreamId, const rec::Process& row) {
                                             writer.pid = rec::number_of(row.pid, row.kernel_pid);
                                             // Otherwise its own number may be another's here.
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

std::uint64_t MemorySamples::period(std::uint64_t since_begun) {
    return std::clamp(since_begun / kPeriodsOfLife, kShortestPeriod, kLongestPeriod);
}

std::uint64_t MemorySamples::tick(RunScene& scene, std::uint64_t now) {
    if (is_off_ || scene.is_gone) {
        return kNeverDue;
    }
    if (!is_begun_) {
        is_begun_ = true;
        if (!shows_this_system()) {
            is_off_ = true;
            scene.log.write_missing({std::string(rec::kMemoryOverTime),
                                     proc_ + " does not show this system's processes",
                                     "mount it: mount -t proc proc " + proc_});
            return kNeverDue;
        }
        add(static_cast<std::uint64_t>(scene.program));
    }
    if (now >= due_) {
        look_for_processes(scene);
        read(scene, now, kMostReadings);
        due_ = now + period(now - std::min(scene.begun, now));
    }
    return due_;
}

void MemorySamples::ended(RunScene& scene, RecordOutcome& /*outcome*/) {
    read(scene, monotonic_now().ns, processes_.size());
    for (auto& [pid, seen] : processes_) {
        scene.log.write_others([&rows = seen.rows](rec::StreamWriter& log) {
            for (const rec::Memory& row : rows.end(0, false)) {
                log.append(row);
            }
        });
    }
    processes_.clear();
    if (has_no_room_) {
        scene.log.write_missing({std::string(rec::kMemoryOverTime),
                                 "more than " + std::to_string(kMostProcesses) +
                                     " processes ran at once: of some it is not known, or not from their start",
                                 "record fewer at once"});
    }
}

// Otherwise its numbers mean other processes.
bool MemorySamples::shows_this_system() const {
    return number_behind_link((proc_ + "/self").c_str(), "") == static_cast<std::uint64_t>(getpid());
}

void MemorySamples::look_for_processes(RunScene& scene) {
    if (files_.size() > kManyFiles && ++ticks_ % kListEvery != 0) {
        return;
    }
    const auto names = scene.folder.names(".krec");
    if (!names) {
        return;
    }
    for (const std::string& name : *names) {
        int& looks = name.starts_with("process-") ? files_[name] : files_.try_emplace(name, kDone).first->second;
        if (looks == kDone) {
            continue;
        }
        if (processes_.size() >= kMostProcesses) {
            has_no_room_ = true;
            return;
        }
        ++looks;
        const Writer writer = writer_of(scene.folder, name, scene.settled.job);
        if (writer.pid) {
            looks = kDone;
            if (writer.is_ours) {
                add(*writer.pid);
            }
        }
    }
}

void MemorySamples::add(std::uint64_t pid) {
    if (processes_.contains(pid)) {
        return;
    }
    Descriptor statm(open((proc_ + "/" + std::to_string(pid) + "/statm").c_str(), O_RDONLY | O_CLOEXEC));
    if (statm) {
        processes_.try_emplace(pid, Seen{std::move(statm), ResidentRows(pid)});
    }
}

void MemorySamples::read(RunScene& scene, std::uint64_t now, std::size_t most) {
    scene.log.write_others([&](rec::StreamWriter& log) {
        auto at = processes_.lower_bound(next_);
        for (std::size_t left = std::min(most, processes_.size()); left != 0; --left) {
            at = at == processes_.end() ? processes_.begin() : at;
            auto& [pid, seen] = *at;
            const auto resident = read_statm(seen.statm.number());
            for (const rec::Memory& row : resident ? seen.rows.take(now, *resident) : seen.rows.end(now, true)) {
                log.append(row);
            }
            next_ = pid + 1;
            at = resident ? std::next(at) : processes_.erase(at);
        }
    });
}

}  // namespace kymo::launch
