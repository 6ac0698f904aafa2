// Findings that the producer of a recording has made itself.
//
// The GPU model has the cause of each lost cycle; its findings are in its recording. The rules here are about
// threads and an operating system, and do not apply to warps.
#pragma once

#include "findings/judge.h"
#include "recording/handlers.h"

#include <string>
#include <vector>

namespace kymo::findings {

// Those of one file. A reader of rows (recording/handlers.h).
struct RecordedFindings {
    void read_from(const recording::File& file, recording::Handlers& handlers);
    void end(const recording::ScanReport& report);

    bool is_modelled = false;  // the file is of a modelled GPU
    std::string kernel;
    std::vector<Finding> findings;
};

// `files`: of all files of the recording. A modelled GPU's recording: what the model found, no advantages, no
// control. Any other: judge(evidence), or, where parts of the recording are lost, none. Cost: judge()'s.
Judgement judge_recording(const std::vector<RecordedFindings>& files, const spacetime::Evidence& evidence,
                          const JudgeOptions& options = {});

}  // namespace kymo::findings
