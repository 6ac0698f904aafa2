// The third pass: features of spans of time that only the second pass found (iterations, marks), and the lives of
// heavy spaces in time.
#pragma once

#include "base/result.h"
#include "spacetime/evidence/account/account_sums.h"
#include "spacetime/evidence/account/function_times.h"
#include "spacetime/evidence/account/paths.h"
#include "spacetime/evidence/occurrences/occurrence_pass.h"
#include "spacetime/evidence/occurrences/occurrence_sums.h"
#include "team/members.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// A span of a stream. Spans of one group and stream do not overlap.
struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t group = 0;  // iterations of one node, or one mark
    std::uint32_t order = 0;  // among the group's in its stream
};

struct SpaceTimes {
    std::uint64_t longest_gap_ns = 0;  // between two occurrences in one stream
    TimeBatches user{};
};

struct SpanPass {
    std::vector<NodeSums> groups;
    OccurrenceSums lives;         // its nodes: groups of same spaces
    std::vector<NodeSums> parts;  // likewise those that never hold half of a pair (part_runs.h)
    std::vector<SpaceTimes> spaces;
    TimeBatches user{};                    // of all pairs
    std::vector<AccountEntry> account;     // by key, each once
    std::vector<FunctionTimes> functions;  // by function, each once
};
KYMO_MEMBERS(SpanPass, groups, lives, parts, spaces, user, account, functions)

// The heavy spaces that each row of a PairTable lies in. A *group*: heavy spaces with the same code.
struct HeavyOfPairs {
    std::uint32_t spaces = 0;  // number of heavy ones
    // By row: (heavy space, share of the pair in 2^16ths).
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> spaces_of;
    // By row: the group with half of the pair or more, of two the one where it ends; kNone: none.
    std::vector<std::uint32_t> group_of;
    // Likewise: the other group with a part in the pair, if that never holds half of any (a pair has two spaces at
    // most); kNone: none.
    std::vector<std::uint32_t> part_of;
    std::vector<std::uint64_t> group_samples;  // by group: pairs
};

// What the pass measures. Borrowed.
struct SpanWork {
    const std::vector<std::vector<Span>>& spans;  // by thread, by begin
    std::size_t groups = 0;                       // of spans
    const HeavyOfPairs& of_pairs;
    std::size_t life_cap = 0;  // occurrences kept of each group of same spaces
    const PathEnds& paths;
    const Schedule& schedule;
};

// Of a team the first process gets all of it, the others a part.
Result<SpanPass> run_span_pass(const recording::Recording& recording, const Profile& profile,
                               const SampledAddresses& addresses, const PairTable& pairs,
                               const std::vector<std::vector<std::uint32_t>>& wait_targets, const SpanWork& work,
                               const OccurrenceLimits& limits, team::Team* team = nullptr);

}  // namespace kymo::spacetime
