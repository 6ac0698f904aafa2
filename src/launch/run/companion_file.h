// The contribution of another producer to a run: a text file for the monitor beside the session, removed at the end,
// and rows of its own in launch.krec. The ranks of a job write the same text.
#pragma once

#include "launch/run/participant.h"

#include <string>
#include <utility>

namespace kymo::launch {

class CompanionFile : public RunParticipant {
  public:
    // Its name in the folder. The text may be set in prepare().
    explicit CompanionFile(std::string name, std::string text = {})
        : name_(std::move(name)), text_(std::move(text)) {}
    virtual ~CompanionFile() = default;

    // Adds it as a participant of the run, which must not outlive it. Companions are about every process.
    void fit(RecordOptions& options);

    Result<void> started(RunScene& scene) override;

  protected:
    void set_text(std::string text) { text_ = std::move(text); }

  private:
    virtual void write_rows(recording::StreamWriter& /*rows*/) {}

    std::string name_;
    std::string text_;
};

}  // namespace kymo::launch
