// The third pass: features of spans of time that only the second pass found (iterations, marks), and the lives of
// heavy spaces in time.
#pragma once

#include "base/result.h"
#include "spacetime/evidence/occurrences/occurrence_pass.h"
#include "spacetime/evidence/occurrences/occurrence_sums.h"

#include <array>
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

inline constexpr std::size_t kTimeBatches = 64;  // of the run, for the interval of a share of time

struct SpaceTimes {
    std::uint64_t longest_gap_ns = 0;  // between two occurrences in one stream
    std::array<std::int64_t, kTimeBatches> user{};
};

struct SpanPass {
    std::vector<NodeSums> groups;
    OccurrenceSums lives;         // its nodes: groups of same spaces
    std::vector<NodeSums> parts;  // likewise those that never hold half of a pair (part_runs.h)
    std::vector<SpaceTimes> spaces;
    std::array<std::int64_t, kTimeBatches> user{};  // of all pairs
};

struct SpanWork {
    std::vector<std::vector<Span>> spans;  // by thread, by begin
    std::uint32_t groups = 0;
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>
        spaces_of;  // by row of `pairs`: (space, share in 2^16ths)
    std::uint32_t spaces = 0;
    std::vector<std::uint32_t> group_of;       // by row of `pairs`: group of same spaces; kNone: none
    std::vector<std::uint32_t> part_of;        // likewise: Weighing::part_of
    std::vector<std::uint64_t> group_samples;  // by group
    std::size_t life_cap = 0;                  // occurrences kept of each group
};

Result<SpanPass> run_span_pass(const recording::Recording& recording, const Profile& profile,
                               const SampledAddresses& addresses, const PairTable& pairs,
                               const std::vector<std::vector<std::uint32_t>>& wait_targets, const SpanWork& work,
                               const OccurrenceLimits& limits);

}  // namespace kymo::spacetime
