// Recording a program: everything that `kymo record` does except printing.
//
// record() starts the program with the monitor preloaded, stays its parent until it ends, and leaves a recording
// folder that can be read however the program died. The folder holds launch.krec (run_log.h) and, by the monitor, one
// process-PID-N.krec for each process image. The file `session` (events/session.h) exists while the program runs and
// is removed at the end: processes that outlive the program are recorded only in files that they have by then, and
// a program that they start later finds no session and is not recorded.
//
// Under mpirun etc. each rank calls this, and all record into one folder (job.h).
//
// One call at a time in a process; the caller has no other children and no other threads. Costs besides the program's
// own: two processes' start, a few wake-ups a second.
#pragma once

#include "base/result.h"
#include "launch/record_options.h"
#include "launch/record_outcome.h"

namespace kymo::launch {

// Errors are those of the parts, all found before the program starts; nothing is left behind then.
Result<RecordOutcome> record(const RecordOptions& options);

}  // namespace kymo::launch
