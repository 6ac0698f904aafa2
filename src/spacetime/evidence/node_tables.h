// From sums of occurrences to the tables of Evidence: nodes with their rows, intervals, patterns.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/levels.h"
#include "spacetime/evidence/occurrences/occurrence_pass.h"

#include <optional>
#include <span>
#include <vector>

namespace kymo::spacetime {

// The intervals of nodes with two occurrences or more in a stream, by node. `sums`: by kept node.
std::vector<SpaceIntervals> node_intervals(const std::vector<NodeSums>& sums);

// Other threads' state during an occurrence.
struct Meanwhile {
    const Profile& profile;
    const TimeGrid& at_work;  // OccurrencePass
    const TimeGrid& lacking;  // OccurrencePass
    std::span<const WaitTarget> wait_targets;
};

// Fills in totals, durations, rows from `sums`, which is consumed. Totals are those of the node alone: see
// add_up().
void fill_node(SpaceNode& node, NodeSums&& sums, const Meanwhile& meanwhile, const EvidenceOptions& options);

// The same for kept nodes, then add_up(); with the roles and rounds that their levels give them. `levels`: parallel
// to `nodes`, as `sums`, which is consumed.
void fill_kept(std::vector<SpaceNode>& nodes, std::vector<NodeSums>&& sums, const std::vector<LevelStructure>& levels,
               const Meanwhile& meanwhile, const EvidenceOptions& options);

// Fills in life, gaps and patterns of each group of same spaces. `lives` and `parts`: SpanPass's, consumed.
void fill_lives(std::vector<SameSpaces>& groups, OccurrenceSums&& lives, std::vector<NodeSums>&& parts,
                const Meanwhile& meanwhile, const EvidenceOptions& options);

// Adds children's totals to their parents'. Iterations and marks are beside the tree, and add to no node.
void add_up(std::vector<SpaceNode>& nodes);

// For each row: its iteration of the nearest loop found above its level. `levels`: by kept node, which are the
// first of `nodes`.
void number_steps(std::vector<SpaceNode>& nodes, const std::vector<LevelStructure>& levels);

SpaceIntervals make_intervals(std::uint32_t node, const NodeSums& sums);

// The period of a node's occurrences, by the stream that has most of them at the node's level; none: no period.
std::optional<Period> period_of(const OccurrenceSums& sums, std::uint32_t level, std::uint32_t node);

// Periods of nodes' occurrences, by the sequence of the stream with most of them. Parallel to `intervals`.
void find_periods(std::vector<SpaceIntervals>& intervals, const std::vector<SpaceNode>& nodes,
                  const OccurrenceSums& sums, std::size_t kept);

std::vector<CodePattern> make_patterns(const OccurrenceSums& sums);

}  // namespace kymo::spacetime
