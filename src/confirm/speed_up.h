// The virtual speed-up of a function: what the run would gain if the function were faster, measured without making it
// so. Whenever a thread is in it, all others are slowed by the time that it would have saved, and at the end this is
// subtracted (monitor/speed_up/delays.h has the method, and where it is from).
//
// Both kinds of runs are recorded into a folder that is removed: those as it is pay for the same samples, and pause
// nowhere. Their times are comparable with one another, not with those of unrecorded runs.
#pragma once

#include "base/result.h"
#include "confirm/timed_runs.h"
#include "events/kept_file.h"

#include <cstddef>
#include <vector>

namespace kymo::confirm {

struct SpeedUp {
    std::vector<events::CodeOfImage> code;  // the function's
    double stake_s = 0;                     // what the finding says is lost in it, over all threads; 0: not known
    double part = 0;  // 0 … 1: of the function's time to be saved; 0: what the finding says, up to all
};

struct SpeedUpRuns {
    TimedRuns timed;      // without the delays
    double inside_s = 0;  // processor time in the function, and what it calls, in the run that is not counted
    double part = 0;      // that was saved of it
    // Of what the finding says: the saved time by what is lost. 1: all of it; 0: not known.
    double of_stake = 0;
};

// Turns as it is and with the function faster by `part`, as take_turns(); the caller has no other threads.
//
// Errors: as run_in_turns(); kNotRunnable: the monitor cannot be preloaded into the program (static, another
// language's); kUnsupported: the first run has no sample in the function, or has it in several processes, or does not
// end by itself; the part is not given and not known. All but the second is seen in the run that is not counted.
Result<SpeedUpRuns> run_faster(const Command& command, const SpeedUp& wanted, std::size_t pairs, const Told& told);

}  // namespace kymo::confirm
