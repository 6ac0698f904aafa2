// The contents of the long gaps of a piece of code, beyond the others.
#pragma once

#include "findings/cases/case.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace kymo::findings {

struct Filler {
    NodeIndex node;              // of the same level; kNone: the enclosing node's own code
    double usual_ns = 0;         // in a short gap, mean
    std::vector<double> own_ns;  // beyond that, by long gap
    double all() const { return std::accumulate(own_ns.begin(), own_ns.end(), 0.0); }
};

// For a case of kGaps: the filler with most of the time that the long gaps have beyond the short ones.
Filler main_filler(const Case& subject);

// The smallest node that contains it; kNone: at the top.
NodeIndex filler_node(const Case& subject, const Filler& filler);

// "`collect` (gc.c:10)", "own code of `run` (…)".
std::string filler_name(const Case& subject, const Filler& filler);

// "3 of the 99 gaps between occurrences of `S` (…) last 9.0× longer than the rest (90 ms against 10 ms), mostly in
// `F` (…)": of kGaps.
std::string long_gap_words(const Case& subject, const Filler& filler);
// Without their contents: also for kCodeGaps.
std::string long_gap_words(const Case& subject);

}  // namespace kymo::findings
