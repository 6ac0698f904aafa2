// Findings and exact occurrences (`kymo record --for REC.kymo --exact`): what every call says of a finding's
// function, and, where sampling cannot settle a finding, the command that can.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/exact/exact_calls.h"

#include <string>

namespace kymo::findings {

// A finding on a function whose calls are all known gets how long they are, and how many, as evidence. One that rests
// on a comparison of occurrences, and could not be tested or is about a piece whose single occurrences are too short
// to be sampled, names the command in its experiment. `recording`: as the command is to name it.
void prefer_exact(const spacetime::Evidence& evidence, const spacetime::ExactCalls& exact,
                  const std::string& recording, Judgement* judgement);

}  // namespace kymo::findings
