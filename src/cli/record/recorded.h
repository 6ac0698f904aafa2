// What was recorded, in a few lines on standard error.
#pragma once

#include "launch/record_outcome.h"

namespace kymo::cli {

struct PrintedRecording {
    bool hint = true;           // with the command that shows it
    bool from_outside = false;  // without the monitor
};
void print_recorded(const launch::RecordOutcome& outcome, const PrintedRecording& printed);

// The report of it; the exit code of that or, if it is 0, the program's.
int print_report(const launch::RecordOutcome& outcome);

}  // namespace kymo::cli
