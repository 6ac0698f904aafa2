// Runs of a recorded program beside one another, without its output: as it was recorded, and with other settings.
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

// One run that is not counted, then `pairs` pairs, whose order changes from one to the next. Standard input is empty,
// output goes nowhere. `directory`: where the program runs. `told` gets each pair as it is done.
//
// The caller has no other threads, which would take the signal of the program's end (parallel/end_workers.h).
//
// Errors: kNotFound (the directory, the program), kNotRunnable; kUnsupported: a run ends with another exit status
// than the first, so that their times mean nothing.
Result<TimedRuns> run_in_turns(const std::vector<std::string>& command, const std::filesystem::path& directory,
                               const std::vector<Setting>& settings, std::size_t pairs,
                               const std::function<void(const TimedRuns&)>& told);

}  // namespace kymo::confirm
