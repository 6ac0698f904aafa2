// Where a launch is, for the parent to tell when the program is ended in the middle of it.
//
// Contract: one launch of a process at a time. What at() notes lies in memory that is the file `running-PID` of the
// job's folder, so that it outlives any end of the process.
#pragma once

#include "gpu/cudart/job.h"
#include "gpu/trace/kernel.h"

#include <optional>
#include <string_view>

namespace kymo::gpu::cudart {

class RunningLaunch {
  public:
    // `number`: of the launches so far, this one included. Without a parent nothing is noted.
    RunningLaunch(const Job& job, const std::string& kernel, std::uint64_t number, const Dim3& grid);
    RunningLaunch(const RunningLaunch&) = delete;
    RunningLaunch& operator=(const RunningLaunch&) = delete;
    ~RunningLaunch();
    // Cost: a few bytes written. An empty place leaves the one before.
    void at(const Dim3& cta, std::string_view place) const;

    // From the job's folder: what processes that are gone have left in the middle, in words.
    static std::vector<std::string> left_in(const std::filesystem::path& folder);

  private:
    struct Notes;
    static Notes* notes_of(const Job& job);
    Notes* notes_ = nullptr;
};

}  // namespace kymo::gpu::cudart
