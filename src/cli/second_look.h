// `kymo record --for REC.kymo`: the kept parts of an earlier recording, as plain data for the launcher. The only
// place, with exact_look.h, where an analysis meets a producer.
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

    const std::string& name() const { return name_; }  // as given
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

// Fills in the command, if none is given: the earlier recording's own. Errors: it is missing or not a recording.
Result<std::shared_ptr<EarlierRun>> open_earlier(const std::string& earlier, launch::RecordOptions& options);

// The file beside the session that restricts the requested events to the kept code. It takes part in
// the run, and must not outlive it. Errors then: another program's, or another build's; nothing was kept.
std::unique_ptr<launch::CompanionFile> kept_code_file(std::shared_ptr<EarlierRun> earlier);

}  // namespace kymo::cli
