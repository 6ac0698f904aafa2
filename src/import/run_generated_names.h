// Names of just-in-time compiled code in a run with the monitor: from the perf-PID.map that the program has written,
// to its process's file, when the program has ended.
#pragma once

#include "launch/record_options.h"
#include "launch/run/participant.h"

#include <filesystem>

namespace kymo::import {

// A map counts where it is a regular file of the user whose process it was (or of root), and was written after that
// process began: numbers of processes come again, and everybody may write to /tmp. Processes that still run, and
// those of other pid namespaces, whose /tmp may be another one, have no names. Cost: a look for a file for each
// process; of those that have one, reads the process's file once more.
class RunGeneratedNames final : public launch::RunParticipant {
  public:
    explicit RunGeneratedNames(std::filesystem::path tmp = "/tmp") : tmp_(std::move(tmp)) {}

    void fit(launch::RecordOptions& options) { options.participants.push_back(this); }
    void ended(launch::RunScene& scene, launch::RecordOutcome& outcome) override;

  private:
    std::filesystem::path tmp_;
};

}  // namespace kymo::import
