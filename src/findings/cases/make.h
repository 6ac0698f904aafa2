// From evidence to cases, contrast by contrast. Pure; nodes with too little data give none.
//
// What is compared (which occurrences, by which features, which of them are slow) does not depend on the labels:
// it is made once, as Grounds, and read by the cases of the evidence itself and by those of every round of the
// control, from any number of threads.
//
// `shuffle`: for the control. If given, labels (which occurrence is slow, which follows which) are moved at random
// according to the contrast's own null (statistics/max_t.h), and the rest is done as usual. The run and threads at
// the same step have no labels: their results are plain sums.
#pragma once

#include "findings/cases/case.h"
#include "findings/cases/features.h"
#include "findings/statistics/random.h"
#include "findings/statistics/split.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kymo::findings {

struct CaseOptions {
    Random* shuffle = nullptr;
    std::size_t permutations = kPermutations;
};

// kSpace: nodes of one level.
struct SpaceGround {
    std::vector<NodeIndex> siblings;
    ComparedOccurrences compared;  // of all of them; empty if there is only one
};

// The neighbour before an occurrence, after it, or both; kAnyNeighbour: any.
struct Neighbourhood {
    std::uint32_t before = spacetime::kAnyNeighbour;
    std::uint32_t after = spacetime::kAnyNeighbour;
};

// kRich: which occurrences are rich in an event, 1 or 0 by row.
struct RichLabel {
    CounterIndex event;
    std::vector<char> is_rich;
};

// kOccurrences, kRich and kNeighbours: one node's occurrences.
struct OccurrenceGround {
    NodeIndex node;
    Split split;  // slow == 0: not split, or nothing is slow
    std::vector<RichLabel> rich;
    std::vector<Neighbourhood> neighbourhoods;  // to be compared with the rest
    ComparedOccurrences compared;
};

// kGaps.
struct GapGround {
    NodeIndex node;
    std::vector<GapRow> gaps;
    std::vector<double> lengths;
    Split split;
    // If some are long: the gaps as rows, which `compared` refers to.
    std::unique_ptr<const spacetime::OccurrenceTable> rows;
    ComparedOccurrences compared;
};

// kCode…: one group of same spaces; all are empty if the group must not be compared.
struct SameGround {
    Split split;
    std::vector<Neighbourhood> neighbourhoods;  // by group
    ComparedOccurrences compared;
    GapGround gaps;
};

// kReturns: one place of waiting, and the node whose occurrences count its returns.
struct ReturnGround {
    NodeIndex node;
    std::vector<std::uint32_t> targets;  // ascending
    std::vector<WaitReturn> returns;     // by thread, then in time
};

struct Grounds {
    // Parallel.
    explicit Grounds(const spacetime::Evidence& of);

    const spacetime::Evidence& evidence;
    std::vector<SpaceGround> spaces;
    std::vector<OccurrenceGround> occurrences;  // by node
    std::vector<GapGround> gaps;
    std::vector<SameGround> same;  // by group
    std::vector<ReturnGround> returns;
};

// The parts of it.
std::vector<std::vector<NodeIndex>> levels(const spacetime::Evidence& evidence);  // siblings
SpaceGround space_ground(const spacetime::Evidence& evidence, std::vector<NodeIndex> siblings);
Split occurrence_split(const spacetime::Evidence& evidence, const spacetime::SpaceNode& space);
// Without labels that repeat the slow ones (`slow`).
std::vector<RichLabel> rich_labels(const spacetime::Evidence& evidence, NodeIndex node, const Split& slow);
std::vector<Neighbourhood> compared_neighbourhoods(const spacetime::Evidence& evidence, NodeIndex node);
// Of a group of same spaces, among groups.
std::vector<Neighbourhood> compared_neighbourhoods(const spacetime::SpaceNode& life, std::uint32_t group);
GapGround gap_ground(const spacetime::Evidence& evidence, NodeIndex node);
// Of a group of same spaces: gaps inside one occurrence of the node that holds it.
GapGround gap_ground(const spacetime::Evidence& evidence, const spacetime::SpaceNode& life, NodeIndex around);
SameGround same_ground(const spacetime::Evidence& evidence, std::uint32_t group);
std::vector<ReturnGround> return_grounds(const spacetime::Evidence& evidence);

Case run_case(const spacetime::Evidence& evidence);
void add_thread_cases(const spacetime::Evidence& evidence, std::vector<Case>* cases);
void add_space_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases);
void add_occurrence_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases);
void add_rich_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases);
void add_neighbour_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases);
void add_gap_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases);
void add_same_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases);
void add_return_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases);

// The remaining parts of a case: labels (moved, in a round of the control), sides and features.
void compare_slow(const Split& split, const ComparedOccurrences& compared, const CaseOptions& options, Random random,
                  Case* subject);
void compare_neighbourhood(const Neighbourhood& neighbourhood, const ComparedOccurrences& compared,
                           const CaseOptions& options, Random random, Case* subject);
void compare_gaps(const GapGround& ground, const CaseOptions& options, Random random, Case* subject);

// All of them, with q over all tested cases. With `shuffle` only those that have labels.
std::vector<Case> make_cases(const Grounds& grounds, const CaseOptions& options = {});

}  // namespace kymo::findings
