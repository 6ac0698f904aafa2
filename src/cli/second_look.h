// `kymo record --for REC.kymo`: what an earlier recording kept, as plain data for the launcher. The only place, with
// exact_look.h, where an analysis meets a producer.
#pragma once

#include "analysis/space_time.h"
#include "base/result.h"
#include "launch/record.h"
#include "launch/run/companion_file.h"
#include "recording/reader.h"
#include "spacetime/look/looked_for.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kymo::cli {

// The earlier recording. It is analysed only after the program was found and the events were settled, and then once.
class EarlierRun {
  public:
    EarlierRun(std::string name, recording::Recording&& recording, spacetime::RunIdentity identity)
        : name_(std::move(name)), recording_(std::move(recording)), identity_(std::move(identity)) {}

    const std::string& name() const { return name_; }  // as it was given
    std::string absolute_path() const;
    const spacetime::RunIdentity& identity() const { return identity_; }
    // Errors: of the analysis; `program` is not of this recording, or of another build.
    Result<const analysis::SpaceTime*> analyse(const std::string& program);

  private:
    std::string name_;
    recording::Recording recording_;
    spacetime::RunIdentity identity_;
    std::optional<analysis::SpaceTime> analysed_;
};

// Fills in the command, where none is given: the earlier recording's own. Errors: it is not there or no recording.
Result<std::shared_ptr<EarlierRun>> open_earlier(const std::string& earlier, launch::RecordOptions& options);

// What is written beside the session, so that the events asked for are kept on what was kept. It is to take part in
// the run, and must not outlive it. Errors then: another program's, or another build's; nothing was kept.
std::unique_ptr<launch::CompanionFile> kept_code_file(std::shared_ptr<EarlierRun> earlier);

}  // namespace kymo::cli
