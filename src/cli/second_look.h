// `kymo record --for REC.kymo`: what an earlier recording kept, as plain data for the launcher. The only place where
// an analysis meets a producer.
#pragma once

#include "base/result.h"
#include "launch/record.h"
#include "launch/run/companion_file.h"

#include <memory>
#include <string>

namespace kymo::cli {

// Fills in the command (where none is given: the earlier recording's own) and what is written beside the session.
// It takes part in the run, and must not outlive it. The earlier recording is analysed only after the program was
// found and the events were settled. Errors: it is not there or no recording; no event is asked for; another
// program's, or another build's; nothing was kept.
Result<std::unique_ptr<launch::CompanionFile>> look_for(const std::string& earlier, launch::RecordOptions& options);

}  // namespace kymo::cli
