// A case: one comparison of two sides of the evidence, prepared for rules.
//
// What is compared, by Contrast:
//   kRun         the run as a whole. No sides: rules read RunFacts, wait targets and nodes; their sums are exact.
//   kSpace       a kept node against the rest of the program. One case a node. `bad` is the node, `good` the rest.
//   kOccurrences a node's slow occurrences against its fast ones. Only where there are slow ones
//                (statistics/split.h).
//   kRich        a node's occurrences that are rich in an event against those that are poor in it.
//   kNeighbours  a node's occurrences after one neighbour, before one, or between two, against its other occurrences.
//   kGaps        a node's long gaps against its other gaps: rows are gaps, as occurrences of their own.
//   kReturns     the occurrences of a node in (or behind) which one place of waiting comes back, against its other
//   occurrences. kThreads     threads at the same step of one node: the one that works longest against the others.
//   kCodeOccurrences, kCodeGaps, kCodeNeighbours: as kOccurrences, kGaps and kNeighbours, of a group of same code
//                spaces (addresses, on whatever call paths) instead of a node.
//
// Cases of kOccurrences, kRich, kNeighbours, kGaps and kCode… carry the exact account of the excess; these and kSpace
// the tested features, kRich and kReturns one: the duration, and how even the returns are. Plain values that refer to
// the Evidence (and, of gaps, to what the case was made from): they live longer.
#pragma once

#include "findings/account.h"
#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kymo::findings {

enum class Contrast : std::uint8_t {
    kRun,
    kSpace,
    kOccurrences,
    kRich,
    kNeighbours,
    kGaps,
    kReturns,
    kThreads,
    kCodeOccurrences,
    kCodeGaps,
    kCodeNeighbours,
};

struct Side {
    std::size_t count = 0;             // occurrences, gaps; of kSpace's rest and kRun: 1
    double median_ns = 0;              // without the time without a processor
    spacetime::TimeTerms terms;        // sums
    std::vector<std::int64_t> deltas;  // by counter, sums
};

// The feature of kReturns; its good side is the expectation by chance.
inline constexpr std::string_view kUnevenness = "unevenness of the returns";

// A difference between the sides, occurrence by occurrence.
struct Feature {
    std::string name;
    // Means over the occurrences of a side: of a counter its count in an occurrence (kSpace: in a second of processor
    // time), otherwise the feature's own value.
    double bad = 0;
    double good = 0;
    double effect = 0;  // Cliff's delta of the feature as tested: counters by wall time
    double p = 1;       // adjusted for all features of the case
    double q = 1;       // and for all cases
};

// Between two consecutive occurrences inside one occurrence of the enclosing node.
struct GapRow {
    std::uint32_t thread = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int64_t ns = 0;        // without the time without a processor
    std::uint32_t order = 0;    // of the occurrence before it
    std::size_t row_after = 0;  // of the occurrence behind it, in the node's table
    // The nodes of the same level that filled it, ascending, likewise. The rest is the enclosing node's own code.
    std::vector<spacetime::GapPart> filled = {};
};

// Waits of a thread at the recurring place, in one occurrence of a node or behind it, before the next one.
struct WaitReturn {
    std::uint32_t thread = 0;
    std::uint32_t order = 0;  // of the occurrence
    std::uint64_t begin = 0;  // of the first wait; ns
    std::uint64_t end = 0;    // of the last one
    std::int64_t ns = 0;      // waited
};

// One step of a phase: each thread's work in it, and how long it may have waited for the others: off the
// processor, though not for lack of one, in its occurrences and from their ends to its next step.
struct StepRow {
    std::uint32_t step = 0;
    std::vector<double> busy_ns = {};  // by Case::threads
    std::vector<double> idle_ns = {};  // likewise; at most
};

struct Case {
    const spacetime::Evidence* evidence = nullptr;
    Contrast contrast = Contrast::kRun;
    NodeIndex node;  // kCode…: the smallest kept node that holds most of the group; may be none
    std::uint32_t same =
        kNone;           // kCode…: the group, index of Evidence::same_spaces; there neighbours are groups, too
    CounterIndex event;  // kRich
    // kNeighbours: the neighbours before and after the bad occurrences; kAnyNeighbour: any.
    std::uint32_t before = spacetime::kAnyNeighbour;
    std::uint32_t after = spacetime::kAnyNeighbour;

    // kOccurrences, kRich, kNeighbours: rows of the node's OccurrenceTable; kGaps: of `gap_rows`.
    std::vector<std::size_t> bad_rows;
    std::vector<std::size_t> good_rows;
    Side bad;
    Side good;
    Excess excess;
    std::vector<Feature> features;  // clearest first

    const spacetime::OccurrenceTable* gap_rows = nullptr;  // kGaps: a row each gap
    std::vector<GapRow> long_gaps;                         // likewise, as bad_rows
    std::vector<GapRow> short_gaps;
    std::vector<WaitReturn> returns;     // kReturns: by thread, then in time
    std::vector<std::uint32_t> targets;  // kReturns: wait targets of the place, ascending
    std::uint32_t every = 0;             // kReturns: occurrences from one to the next; 0: not regular
    std::vector<StepRow> steps;          // kThreads
    std::vector<std::uint32_t> threads;  // taking part in the bad side; kThreads: all that take part

    bool tested = false;  // false: fewer than three bad, or too few occurrences for any test to show a difference
    double p = 1;         // of any feature differing
    double q = 1;

    const spacetime::SpaceNode& space() const {
        return same != kNone ? evidence->same_spaces[same].life : node.in(evidence->nodes);
    }
    // The table of bad_rows and good_rows.
    const spacetime::OccurrenceTable& rows() const { return gap_rows != nullptr ? *gap_rows : space().rows; }
    // Null: no such feature.
    const Feature* feature(std::string_view name) const;
    // bad / good of a feature is at least `ratio` and, if it could be tested, chance does not explain it.
    bool differs(std::string_view name, double ratio) const;
    // The part of the excess that is in these terms, 0 … 1; 0 without an excess. Time without a processor is part
    // of the whole only if requested, because sides are distinguished without it.
    double excess_share(TermSet terms) const;
    // ns of [begin, end) of each bad occurrence.
    std::vector<TimeRange> bad_times() const;
};

// Index of a counter by name; kNone: the recording has no such event.
CounterIndex counter(const spacetime::Evidence& evidence, std::string_view name);

// Whether `node` is `around` or inside it. The rounds of a loop contain what the loop contains.
bool is_inside(const spacetime::Evidence& evidence, NodeIndex node, NodeIndex around);

}  // namespace kymo::findings
