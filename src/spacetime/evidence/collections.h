// The four collections of the space-time analysis, each with the events measured over it.
//
// "By counter" means one entry an event of the recording, in Profile::events' order.
#pragma once

#include "base/index.h"
#include "spacetime/evidence/node.h"
#include "spacetime/spaces/pair_rule.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kymo::spacetime {

// A heavy space: by the rule of pairs, with more than the requested share of the weight.
struct HeavySpace {
    Place place;
    PairCase rule = PairCase::kNoPath;
    bool uncertain = false;
    double weight = 0;      // share of instructions × occurrences
    double time_share = 0;  // of all user time
    double time_low = 0;    // its 95 % interval
    double time_high = 0;
    double stall = 0;                // time share / weight: well above 1 if the processor stalls, below if it is fast
    std::uint64_t instructions = 0;  // kInstruction each
    std::uint64_t occurrences = 0;
    std::vector<std::int64_t> deltas;       // by counter
    std::vector<std::int64_t> rest_deltas;  // of the rest of the program, for comparison
    std::uint64_t longest_gap_ns = 0;       // between two occurrences in one stream
    NodeIndex node;                         // the smallest kept node that holds most of it; kNone: none
    std::uint32_t same = kNone;             // its group, index of Evidence::same_spaces
};

// Counts in the code of a space: of every pair's spaces the share of bytes in it.
struct CodeSums {
    bool is_known = false;  // its image is in this recording
    std::int64_t user_ns = 0;
    std::vector<std::int64_t> deltas;  // by counter
};

// A stream's stay in one node during a gap.
struct GapPart {
    std::uint32_t node = kOutside;  // sibling, kParentItself or kOutside
    std::int64_t ns = 0;
};

struct LongGap {
    std::uint32_t thread = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    TimeTerms terms;
    std::vector<OccurrenceWait> waits;  // most time first
    std::vector<std::int64_t> deltas;   // by counter
    std::vector<GapPart> filled;        // most time first
};

// One node's times and the gaps between, over all its streams.
struct SpaceIntervals {
    std::uint32_t node = 0;
    DurationSums gaps;  // exact, all
    std::uint64_t median_gap_ns = 0;
    std::vector<LongGap> longest;          // at most 8, longest first
    TimeTerms gap_terms;                   // over all gaps
    std::vector<std::int64_t> gap_deltas;  // by counter
    std::optional<Period> period;
};

// Of a node, or of a group of same spaces.
struct CodePattern {
    std::uint32_t before = kStreamEdge;  // kAnyNeighbour: sum over all
    std::uint32_t node = 0;
    std::uint32_t after = kStreamEdge;
    DurationSums durations;
    std::uint64_t samples = 0;
    TimeTerms terms;
    std::vector<std::int64_t> deltas;  // by counter
};

struct SameSpaces {
    std::vector<std::uint32_t> members;  // heavy spaces, heaviest first; a single one is equal to itself
    double overlap = 1;                  // least of any two members
    double weight = 0;
    double time_share = 0;
    std::uint64_t occurrences = 0;     // pairs of samples
    NodeIndex node;                    // the smallest kept node that holds most of it; kNone: none
    std::vector<std::int64_t> deltas;  // by counter, shared among the spaces of a pair

    // In time (code_lives.h), with the same structure as a node's; there `node`, `before` and `after` are groups.
    SpaceNode life;  // without a place: total, deltas, occurrences, durations, threads, folded, rows
    // It never holds half of a pair of samples: its life is that of the pairs that it has a part in, which contain
    // more than it, and it has no patterns.
    bool is_part = false;
    SpaceIntervals gaps;
    std::vector<CodePattern> patterns;  // most time first
};

}  // namespace kymo::spacetime
