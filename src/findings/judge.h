// The engine: from evidence to ranked findings, advantages, and how many findings chance alone would give.
//
//     const Judgement judgement = judge(evidence);
//
// 1. Cases are made of the evidence (cases.h), tested (statistics/max_t.h) and corrected for their number (Benjamini
//    and Hochberg over cases).
// 2. Every rule examines every case of its contrast.
// 3. A claim is kept if the lower bound of what it explains is at least `least_share` of the run, and if, when it
//    rests on a feature that could be tested, chance does not explain that feature.
// 4. Claims about the same time become one finding: the best is shown, the others are listed under it.
// 5. The control: all of this again on labels shifted at random (cases.h), `rounds` times.
//
// Deterministic, on any number of processors. Pure; cost O(features × occurrences × permutations), bounded per case,
// and that times the control's rounds; if chance does as well, drawing ends early (max_t.h). Parallel.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"

#include <cstddef>

namespace kymo::findings {

struct JudgeOptions {
    double least_share = 0.01;   // of the run: less is not shown
    double significance = 0.05;  // of q
    std::size_t rounds = 10;     // of the control; 0: none
};

Judgement judge(const spacetime::Evidence& evidence, const JudgeOptions& options = {});

}  // namespace kymo::findings
