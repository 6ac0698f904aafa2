// What experiments on findings say, as text and as JSON.
#pragma once

#include "cli/output/json_output.h"
#include "confirm/experiment.h"
#include "confirm/speed_up.h"
#include "confirm/timed_runs.h"
#include "findings/finding.h"

#include <cstddef>
#include <string>

namespace kymo::cli {

// What was tried, on what, and what came of it.
struct Confirmed {
    const findings::Finding& finding;
    std::size_t number;  // of the finding in the report; 0: of none, but a function that the user has chosen
    const confirm::Experiment& experiment;
    const confirm::SpeedUpRuns& runs;  // of settings, only `timed` is known
};

std::string settings_text(const confirm::Experiment& experiment);
// "1. division-bound in compute: 31.0 % of the run".
std::string finding_text(const findings::Finding& finding, std::size_t number);
// A line on standard error, after each pair.
void tell_pair(const confirm::TimedRuns& runs, std::size_t pairs);
// Prints the outcome. Returns the exit status.
int show(const Confirmed& confirmed, const JsonOutput& json);

}  // namespace kymo::cli
