// Runs of a recorded program beside one another, without its output: as it was recorded, and changed.
#pragma once

#include "base/result.h"
#include "confirm/experiment.h"
#include "confirm/verdict.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kymo::confirm {

struct TimedRuns {
    std::vector<Pair> pairs;
    int exit_status = 0;      // of each run
    bool is_stopped = false;  // by Ctrl-C or the like: the pairs until then
};

struct Run {
    int exit_status = 0;
    double seconds = 0;
};

// Which program, and where it runs.
struct Command {
    std::vector<std::string> words;
    std::filesystem::path directory;
};

using OneRun = std::function<Result<Run>(bool is_changed)>;
using Told = std::function<void(const TimedRuns&)>;

// One run that is not counted, then `pairs` pairs, whose order changes from one to the next. `told` gets each pair as
// it is done. Errors: those of `run`; kUnsupported: a run ends with another exit status than the first, so that their
// times mean nothing.
Result<TimedRuns> take_turns(const OneRun& run, std::size_t pairs, const Told& told);

// Turns with and without what an experiment sets; not for virtual speed-ups. Standard input is empty, output goes
// nowhere.
//
// The caller has no other threads, which would take the signal of the program's end (parallel/end_workers.h).
//
// Errors: as above; kNotFound (the directory, the program), kNotRunnable.
Result<TimedRuns> run_in_turns(const Command& command, const Experiment& experiment, std::size_t pairs,
                               const Told& told);

// Whether a program has ended by a signal that asks for an end; it gets it from the terminal, or from us.
bool is_stopped(int exit_status);

// The error of a directory that could not be entered.
Error not_entered(const std::filesystem::path& directory, const std::error_code& why);

}  // namespace kymo::confirm
