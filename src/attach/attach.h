// Recording processes that run already, until they end or the recording is to end.
//
// The kernel takes the samples (sample_rings.h); paths are found as they come, and only these are stored. Nothing is
// put into the processes, and nothing of them is stopped.
#pragma once

#include "attach/sample_events.h"
#include "base/result.h"
#include "launch/record_outcome.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::attach {

struct AttachOptions {
    // One of the four.
    std::vector<pid_t> processes;
    std::string named;             // the processes of this name
    std::filesystem::path cgroup;  // those of this control group
    bool machine = false;          // all

    SampleSettings samples;
    std::uint64_t duration_ns = 0;                // 0: until they end
    std::optional<std::filesystem::path> output;  // none: NAME.kymo, or the next free number
};

// Until the processes have ended, the duration is over, or SIGINT, SIGTERM, SIGHUP or SIGQUIT comes. `started`:
// called once, when all is set up, with the number of processes. One call at a time; no other threads. Errors: those
// of SampleRings::open() and threads_of(); of the folder. Nothing is left behind then.
Result<launch::RecordOutcome> attach(const AttachOptions& options,
                                     const std::function<void(std::size_t)>& started = {});

// What such a recording lacks beside one with the monitor: said once. `has_wakes`: who woke a thread is known.
std::vector<events::Missing> missing_from_outside(bool has_wakes);

}  // namespace kymo::attach
