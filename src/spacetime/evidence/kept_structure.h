// The first stage: the structure of the run's code, and of it the nodes that are kept.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/kept_nodes.h"
#include "spacetime/evidence/named_run.h"
#include "spacetime/evidence/structure.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

struct KeptStructure {
    Structure structure;
    std::vector<std::uint64_t> identities;  // by structure node
    KeptNodes kept;
};

// Keeps nodes with more than options.space_share of the time, and those that an earlier recording had
// (options.looked_at).
KeptStructure keep_structure(const Profile& profile, const NamedRun& run, const EvidenceOptions& options);

// The kept nodes in the words of the source: kind, place, path, lines. Totals, occurrences and rows are empty.
std::vector<SpaceNode> describe_kept(const Profile& profile, const NamedRun& run, const KeptStructure& kept);

}  // namespace kymo::spacetime
