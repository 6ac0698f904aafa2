// Findings and exact occurrences (`kymo record --for REC.kymo --exact`): the data of every call for a finding's
// function and, if sampling cannot settle a finding, the command that can.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/exact/exact_calls.h"

#include <string>

namespace kymo::findings {

// A finding on a function whose calls are all known gets their durations and number as evidence. One that depends
// on a comparison of occurrences, and could not be tested or is about a piece whose single occurrences are too
// short to be sampled, names the command in its experiment. `recording`: its name in the command.
void prefer_exact(const spacetime::Evidence& evidence, const spacetime::ExactCalls& exact,
                  const std::string& recording, Judgement* judgement);

}  // namespace kymo::findings
