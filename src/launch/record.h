// Recording a program: everything `kymo record` does but print.
//
// record() starts the program with the monitor preloaded, stays its parent until it ends, and leaves a recording
// folder that can be read however the program died. The folder holds launch.krec (run_log.h) and, by the monitor, one
// process-PID-N.krec for each process image. The file `session` (events/session.h) exists while the program runs and
// is removed at the end: what the program leaves running is recorded no further than its files go, and a program
// started by it later finds no session and is left alone.
//
// Under mpirun and its like each rank calls this, and all record into one folder (job.h).
//
// One call at a time in a process; the caller has no other children and no other threads. Costs besides the program's
// own: two processes' start, a few wake-ups a second.
#pragma once

#include "base/result.h"
#include "events/plan.h"
#include "launch/job.h"
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

// Values of recording::RunEnd::reason.
enum class EndReason : std::uint8_t { kEnded = 0, kInterrupted = 1, kDuration = 2, kMaxSize = 3, kDiskFull = 4 };

struct RecordOutcome {
    std::filesystem::path recording;  // as asked for or chosen, absolute; where it is by now if somebody moved it
    std::optional<Error> gone;        // why there is no recording: somebody removed it
    int wait_status = 0;              // of the program, as from waitpid(2)
    EndReason reason = EndReason::kEnded;
    std::uint64_t duration_ns = 0;
    std::size_t processes = 0;  // process files: 0 means that the monitor never ran
    std::uint64_t bytes = 0;    // of the whole folder, packed
    std::uint64_t switches = 0;
    std::uint64_t lost = 0;  // kernel records lost by the parent's rings
    std::optional<Job> job;  // this was one rank of it
    std::vector<events::Missing> missing;
    std::vector<std::string> warnings;  // one line each

    // The program's own exit status, or 128 + the signal that killed it.
    [[nodiscard]] int exit_status() const;
};

// Errors are those of the parts, all found before the program starts; nothing is left behind then.
Result<RecordOutcome> record(const RecordOptions& options);

}  // namespace kymo::launch
