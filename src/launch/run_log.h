// launch.krec (of a rank: launch-RANK.krec): the parent's data about the run, as rows of the recording's tables
// (recording/tables.h): run, unavailable, task, switch, mapping, page-fault, memory, kernel-lost, clock-pair,
// run-end.
//
// Single-threaded. The writer counts a row that finds no space, and full() is then true; nothing here ends a run.
#pragma once

#include "base/result.h"
#include "events/plan.h"
#include "launch/job.h"
#include "launch/kernel_record.h"
#include "launch/other_users.h"
#include "launch/switch_pairing.h"
#include "recording/folder.h"
#include "recording/tables.h"
#include "recording/writer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace kymo::launch {

inline constexpr const char* kLaunchFile = "launch.krec";
std::string launch_file(const std::optional<Job>& job);
inline constexpr std::string_view kProducer = "kymo " KYMO_VERSION;

class RunLog {
  public:
    // kOutputExists, kNoSpace, kPermission. The folder outlives the log.
    Result<void> create(const recording::Folder& folder, const std::optional<Job>& job = std::nullopt);
    // The preloaded library: named in reports of programs that cannot read it.
    void set_library(std::filesystem::path library) { library_ = std::move(library); }

    void write_run(std::span<const std::string> command);
    // Rows of another producer; they are written behind the present ones.
    template <typename Write>
    void write_others(const Write& write) {
        write(stream_);
    }
    void write_missing(const events::Missing& missing);
    void write_clock_pair();
    void take(const KernelRecord& record);
    void write_barred(const BarredProcess& process);
    void write_end(recording::RunEnd row);  // open switch intervals first
    void close();

    // Closes the file without a trace of the run (the folder is removed).
    void abandon() { file_.abandon(); }

    [[nodiscard]] std::uint64_t switches() const { return switches_; }
    [[nodiscard]] std::uint64_t lost() const { return lost_; }
    [[nodiscard]] bool full() const { return file_.full() || stream_.unwritten() != 0; }

  private:
    void take_map(const KernelRecord& record);
    std::string obstacle(const KernelRecord& record);

    std::filesystem::path library_;
    recording::FileWriter file_;
    recording::StreamWriter stream_;
    SwitchPairing pairing_;
    std::unordered_set<std::uint32_t> fresh_;  // processes whose first mapping since an exec has not come yet
    std::unordered_map<std::string, std::string> obstacles_;  // by path
    std::uint64_t switches_ = 0;
    std::uint64_t lost_ = 0;
};

}  // namespace kymo::launch
