// The result of a recording.
#pragma once

#include "base/result.h"
#include "events/plan.h"
#include "launch/job.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kymo::launch {

// Values of recording::RunEnd::reason.
enum class EndReason : std::uint8_t {
    kEnded = 0,
    kInterrupted = 1,
    kDuration = 2,
    kMaxSize = 3,
    kDiskFull = 4,
    kImported = 5,
    kAttached = 6  // to processes that ran already: how they ended is not known
};

struct RecordOutcome {
    std::filesystem::path recording;  // as requested or chosen, absolute; its present place if it was moved
    std::optional<Error> gone;        // why there is no recording: it was removed
    int wait_status = 0;              // of the program, as from waitpid(2)
    EndReason reason = EndReason::kEnded;
    std::uint64_t duration_ns = 0;
    std::size_t processes = 0;  // process files: 0 means that the monitor never ran
    std::uint64_t bytes = 0;    // of the folder's files, packed; of a rank, its own
    std::uint64_t switches = 0;
    std::uint64_t lost = 0;  // kernel records lost by the parent's rings
    std::optional<Job> job;  // this run was one rank of it
    std::vector<events::Missing> missing;
    std::vector<std::string> warnings;  // one line each

    // The program's own exit status, or 128 + the signal that killed it.
    [[nodiscard]] int exit_status() const;
};

}  // namespace kymo::launch
