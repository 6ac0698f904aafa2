// Where a launch is, so that the parent can report it if the program is killed in the middle of it.
//
// Contract: one launch of a process at a time. at() writes to memory mapped from the file `running-PID` in the
// job's folder, so that it survives any end of the process.
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

    // Reads from the job's folder what ended processes have left unfinished, in words.
    static std::vector<std::string> left_in(const std::filesystem::path& folder);

  private:
    struct Notes;
    static Notes* notes_of(const Job& job);
    Notes* notes_ = nullptr;
};

}  // namespace kymo::gpu::cudart
