// A run whose control points are the kernel's probes: the threads' cells go from the kernel into a segment like any
// other process's, whenever a MeasuredRun's are read. So everything that reads segments works as it does.
//
// Use: make(), then fit() behind MeasuredRun::fit(); alive until launch::record() returns.
#pragma once

#include "base/result.h"
#include "cells/segment.h"
#include "hooks/kernel/kernel_probes.h"
#include "launch/record.h"
#include "metrics/measured_run.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace kymo::metrics {

class ProbedRun {
  public:
    struct Plan {
        hooks::KernelProbes probes;
        std::vector<hooks::Probe> places;
        bool wherever = false;  // KernelProbes::attach
        std::vector<DescribedCell> cells;
    };
    // `folder`: of the segments.
    ProbedRun(Plan plan, std::filesystem::path folder);

    void fit(launch::RecordOptions& options);

    // Hits by threads that found no room.
    [[nodiscard]] std::uint64_t missed() const { return plan_.probes.missed(); }

  private:
    Result<void> begin(pid_t process, const std::string& program);
    void copy();
    void copy(std::uint32_t thread);

    Plan plan_;
    std::filesystem::path folder_;
    pid_t process_ = 0;
    std::unique_ptr<cells::Segment> segment_;
    std::unordered_map<std::uint32_t, cells::Row*> rows_;  // by thread; null: it got none
};

}  // namespace kymo::metrics
