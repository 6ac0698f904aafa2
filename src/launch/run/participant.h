// A part of a run beside the program: whatever is made before the run begins, runs during it, or ends with
// it.
//
// At each step the participants are called one after the other, in the order of their list (run.cpp), all on the
// thread that called launch::record(). A slow one delays the others, and the draining of the kernel's records.
#pragma once

#include "base/result.h"
#include "events/plan.h"
#include "events/probe.h"
#include "launch/job.h"
#include "launch/program.h"
#include "launch/record_options.h"
#include "launch/record_outcome.h"
#include "launch/run_log.h"
#include "recording/folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::launch {

inline constexpr std::uint64_t kNeverDue = UINT64_MAX;

// What is determined before anything is made.
struct Settled {
    const RecordOptions& options;
    Program program;
    std::filesystem::path monitor;
    events::Machine machine;
    events::Plan plan;
    std::optional<Job> job;
};

// The run, as its participants see it from the program's fork on.
struct RunScene {
    Settled& settled;
    const recording::Folder& folder;
    RunLog& log;
    pid_t program = 0;
    std::uint64_t begun = 0;             // before the first participant's started() is called
    bool is_gone = false;                // the program has ended and was waited for
    std::vector<pollfd> wakers;          // descriptors that trigger a tick
    std::vector<std::string> temporary;  // files of the folder to be removed at the end, or if the run does not begin
};

class RunParticipant {
  public:
    RunParticipant() = default;
    RunParticipant(const RunParticipant&) = delete;
    RunParticipant& operator=(const RunParticipant&) = delete;

    // The events are determined; nothing is made yet. An error ends the run.
    virtual Result<void> prepare(const RecordOptions& /*options*/, const events::Session& /*session*/) { return {}; }

    // The program is forked and waits for its release. An error ends the run, and nothing is left behind.
    virtual Result<void> started(RunScene& /*scene*/) { return {}; }

    // Something may have happened. Returns the latest time of the next call. Called once more when the program
    // has ended.
    virtual std::uint64_t tick(RunScene& /*scene*/, std::uint64_t /*now*/) { return kNeverDue; }

    // The program has ended; the recording is still open.
    virtual void ended(RunScene& /*scene*/, RecordOutcome& /*outcome*/) {}

  protected:
    ~RunParticipant() = default;
};

// The due times of a periodic action.
class Interval {
  public:
    explicit Interval(std::uint64_t ns) : ns_(ns) {}
    void begin(std::uint64_t now) { next_ = now + ns_; }
    [[nodiscard]] bool is_due(std::uint64_t now) const { return now >= next_; }
    [[nodiscard]] std::uint64_t next() const { return next_; }

  private:
    std::uint64_t ns_;
    std::uint64_t next_ = kNeverDue;
};

}  // namespace kymo::launch
