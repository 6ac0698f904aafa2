// Findings that are gone, new or changed between two sets of runs.
#pragma once

#include "compare/figures.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kymo::compare {

struct FindingChange {
    std::string kind;
    std::string place;
    std::string title;  // of the new runs, else of the old ones
    double base_share = 0;
    double other_share = 0;
    std::size_t base_runs = 0;  // number with it
    std::size_t other_runs = 0;
};

// Each list with its largest difference first.
struct FindingChanges {
    std::vector<FindingChange> gone;
    std::vector<FindingChange> added;
    std::vector<FindingChange> changed;
};

// Pure.
FindingChanges compare_findings(const std::vector<RunFigures>& base, const std::vector<RunFigures>& other);

}  // namespace kymo::compare
