// A run whose instrumentation points are the kernel's probes: the threads' cells are copied from the kernel into a
// segment like any other process's, whenever a MeasuredRun's are read. So everything that reads segments works as
// usual.
//
// Alive until launch::record() returns.
#pragma once

#include "base/result.h"
#include "cells/segment.h"
#include "hooks/kernel/kernel_probes.h"
#include "launch/run/participant.h"
#include "metrics/measured_run.h"
#include "recording/reader.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace kymo::metrics {

class ProbedRun final : public launch::RunParticipant {
  public:
    struct Plan {
        hooks::KernelProbes probes;
        std::vector<hooks::Probe> places;
        bool wherever = false;  // KernelProbes::attach
        std::vector<DescribedCell> cells;
    };
    // `folder`: of the segments, which are read periodically.
    ProbedRun(Plan plan, std::filesystem::path folder, std::uint64_t period_ns);

    // Before the participant that reads the segments.
    void fit(launch::RecordOptions& options);

    Result<void> started(launch::RunScene& scene) override;
    std::uint64_t tick(launch::RunScene& scene, std::uint64_t now) override;
    void ended(launch::RunScene& scene, launch::RecordOutcome& outcome) override;

    // Hits by threads for which there was no room.
    [[nodiscard]] std::uint64_t missed() const { return plan_.probes.missed(); }
    // Calls whose return was awaited and not seen, and all whose return was awaited. Also in the recording.
    [[nodiscard]] std::uint64_t unreturned() const { return awaited_ - returned_; }
    [[nodiscard]] std::uint64_t awaited() const { return awaited_; }
    [[nodiscard]] events::Missing unreturned_calls() const;

  private:
    Result<void> make_segment(const std::string& program);
    void copy(bool last);
    void copy(std::uint32_t thread, bool last);

    Plan plan_;
    std::filesystem::path folder_;
    launch::Interval period_;
    pid_t process_ = 0;
    std::unique_ptr<cells::Segment> segment_;
    std::unordered_map<std::uint32_t, cells::Row*> rows_;  // by thread; null: no row available
    std::uint64_t awaited_ = 0;                            // of threads that are gone
    std::uint64_t returned_ = 0;
};

// Processes that the recorded program has forked, recursively: a ProbedRun does not count in them.
std::size_t forked_processes(const recording::Recording& recording);

}  // namespace kymo::metrics
