// From evidence to cases, contrast by contrast. Pure; nodes of which too little is known give none.
//
// `shuffle`: for the control. Where it is given, labels (which visit is slow, which follows which) are
// moved at random as the contrast's own null has it (statistics/max_t.h), and the rest is done as ever. The run and
// threads at the same step have no labels: what is said of them are plain sums.
#pragma once

#include "findings/cases/case.h"
#include "findings/statistics/random.h"

#include <cstddef>
#include <vector>

namespace kymo::findings {

struct CaseOptions {
    Random* shuffle = nullptr;
    std::size_t permutations = 1999;
};

Case run_case(const spacetime::Evidence& evidence);
void add_space_cases(const spacetime::Evidence& evidence, const CaseOptions& options, std::vector<Case>* cases);
void add_occurrence_cases(const spacetime::Evidence& evidence, const CaseOptions& options, std::vector<Case>* cases);
void add_neighbour_cases(const spacetime::Evidence& evidence, const CaseOptions& options, std::vector<Case>* cases);
void add_gap_cases(const spacetime::Evidence& evidence, const CaseOptions& options, std::vector<Case>* cases);
void add_thread_cases(const spacetime::Evidence& evidence, std::vector<Case>* cases);

// All of them, with q over all tested cases. With `shuffle` only those that have labels.
std::vector<Case> make_cases(const spacetime::Evidence& evidence, const CaseOptions& options = {});

}  // namespace kymo::findings
