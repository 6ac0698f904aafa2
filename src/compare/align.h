// The clocks of two runs laid side by side: which moment of one is which moment of the other.
//
// Bins of both runs are matched in order so that they do the same as far as possible (dynamic time warping: Sakoe and
// Chiba, 1978). Where what a run does changes, the match is a point on both clocks; between two such points both
// clocks run evenly. So what takes longer is seen where it does, and a program that does one thing alone is stretched
// evenly.
//
// Contract: pure. Cost: bins of one × bins of the other × functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kymo::compare {

// The work of a run over time: processor time by function, in bins of equal length. Time may belong to several
// functions: a caller and its callee.
struct Timeline {
    double duration_ns = 0;
    std::size_t bins = 0;
    std::vector<std::string> functions;   // each once
    std::vector<std::vector<double>> ns;  // [function][bin]
};

struct ClockPoint {
    double base_ns = 0;  // since the run's begin
    double other_ns = 0;
};

struct Alignment {
    std::vector<ClockPoint> points;  // ascending on both clocks; the first is both begins, the last both ends
    // Distance of matched moments, 0 to 1: the part that only one of them does, as a share of what either does,
    // averaged along the match.
    double distance = 0;
    bool is_matched =
        false;  // false: the runs have too little in common, or no bins, and only their ends are matched
};

Alignment align(const Timeline& base, const Timeline& other);

}  // namespace kymo::compare
