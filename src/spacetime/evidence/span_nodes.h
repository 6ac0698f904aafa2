// Spans of time that only the occurrences reveal, before and after they are measured (occurrences/span_pass.h): the
// iterations of found loops, and the regions that the program marked.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/levels.h"
#include "spacetime/evidence/node_tables.h"
#include "spacetime/evidence/occurrences/span_pass.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// One group of spans: a node's iterations, or the regions of one mark.
struct SpanGroup {
    NodeIndex node = {};
    std::uint32_t mark = kNone;  // index of OccurrencePass::mark_names
};

struct PlannedSpans {
    std::vector<SpanGroup> groups;
    std::vector<std::vector<Span>> spans;  // by thread, by begin, the longer first
};

// Of a mark's nested regions the outermost are spans. `levels`: by kept node. `threads`: of the profile.
PlannedSpans plan_spans(const std::vector<LevelStructure>& levels, const OccurrencePass& occurrences,
                        std::size_t threads);

// Adds a node for each group that was measured, and the intervals of marks. `sums`: parallel to `groups`, consumed.
// `levels` are those of the first of `nodes`.
void add_span_nodes(const std::vector<SpanGroup>& groups, std::vector<NodeSums>&& sums,
                    const std::vector<LevelStructure>& levels, const OccurrencePass& occurrences,
                    const Meanwhile& meanwhile, const EvidenceOptions& options, std::vector<SpaceNode>& nodes,
                    std::vector<SpaceIntervals>& intervals);

}  // namespace kymo::spacetime
