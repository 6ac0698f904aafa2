// What is asked of a recording.
#pragma once

#include "base/result.h"
#include "events/plan.h"
#include "recording/writer.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::launch {

// What another producer adds to a run: a text file for the monitor beside the session (removed at the end), and rows
// of its own in launch.krec.
struct Companion {
    std::string file;  // its name in the folder; empty: none
    std::string text;
    std::function<void(recording::StreamWriter&)> write_rows;  // may be empty
};

struct RecordOptions {
    std::vector<std::string> command;  // program and arguments
    std::vector<std::string> events;   // as for -e (events/request.h)
    std::optional<std::filesystem::path> output;
    std::optional<std::filesystem::path> monitor;  // none: found (monitor_library.h)
    std::uint64_t duration_ns = 0;                 // end the program after this long; 0: never
    std::uint64_t grace_ns = 5'000'000'000;        // from SIGTERM to SIGKILL then
    std::uint64_t max_bytes = 0;                   // of each process's file; 0: the writer's own limit
    bool follow = true;                            // descendants too
    bool registers = false;                        // recorded with every sample
    // Asked once the events are settled, before the program starts; may be empty.
    std::function<Result<Companion>(const events::Session&)> companion;
    // Told twice a second while the program runs, with a path to the recording's folder; may be empty. What it takes
    // delays the draining of the kernel's records.
    std::function<void(const std::filesystem::path&)> meanwhile;
    // The program is measured from outside instead: nothing is preloaded into it or what it starts, so that any
    // program will do. Told its process id before it begins; an error ends the run. May be empty.
    std::function<Result<void>(pid_t)> attach;
    int signal = 0;  // the sampling signal; 0: SIGURG, or SIGPROF for Go programs
    // The folder of metric cells, made by the caller; empty: none.
    std::filesystem::path cells;
    // The library that counts messages (src/mpi), preloaded into ranks of jobs that the program starts; empty: none.
    std::filesystem::path channels;
    bool program_has_channels = false;     // into the program itself, too
    std::vector<events::Missing> missing;  // what the caller knows not to be measurable, for the recording
    // Called every so often while the program runs, and once when it is gone, to add rows to launch.krec; may be
    // empty.
    std::function<void(recording::StreamWriter&, bool last)> poll;
    std::uint64_t poll_every_ns = 1'000'000'000;
};

}  // namespace kymo::launch
