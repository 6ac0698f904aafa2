#include "launch/run/memory_samples.h"

#include "base/namespaces/proc_link.h"
#include "base/time.h"
#include "recording/tables.h"
#include "recording/tables/memory.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace kymo::launch {
namespace {

namespace rec = recording;

constexpr std::uint64_t kReadingsOfLife = 16;  // the next reading is after a sixteenth of the time so far

std::optional<Resident> read_statm(int descriptor) {
    std::array<char, 128> text{};
    const ssize_t bytes = pread(descriptor, text.data(), text.size(), 0);
    if (bytes <= 0) {
        return std::nullopt;
    }
    return parse_statm({text.data(), static_cast<std::size_t>(bytes)},
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

std::uint64_t MemorySamples::period(std::uint64_t since_begun) {
    return std::clamp(since_begun / kReadingsOfLife, kShortestPeriod, kLongestPeriod);
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
        add_new(scene);
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
        scene.log.write_missing(
            {std::string(rec::kMemoryOverTime),
             "more than " + std::to_string(kMostProcesses) + " processes ran at once: of some it is not known",
             "record fewer at once"});
    }
}

// Otherwise its numbers denote other processes.
bool MemorySamples::shows_this_system() const {
    return number_behind_link((proc_ + "/self").c_str(), "") == static_cast<std::uint64_t>(getpid());
}

void MemorySamples::add_new(const RunScene& scene) {
    const auto& found = recorded_.look(scene);
    for (; taken_ < found.size(); ++taken_) {
        if (processes_.size() < kMostProcesses) {
            add(found[taken_].pid);
        } else {
            has_no_room_ = true;
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
