// Findings that the producer of a recording has made itself.
//
// The GPU model has the cause of each lost cycle; its findings are in its recording. The rules here are about
// threads and an operating system, and do not apply to warps.
#pragma once

#include "findings/judge.h"
#include "recording/reader.h"

namespace kymo::findings {

// A modelled GPU's recording: what the model found, no advantages, no control. Any other: judge(evidence), or, where
// parts of the recording are lost, none.
// Errors: of reading the recording. Cost: one pass over a modelled recording's table of findings, or judge()'s.
Result<Judgement> judge_recording(const recording::Recording& recording, const spacetime::Evidence& evidence,
                                  const JudgeOptions& options = {});

}  // namespace kymo::findings
