// Evidence made by hand: a run, threads, nodes, and occurrences one by one. Sums are kept as the analysis would.
#pragma once

#include "findings/judge.h"
#include "findings/rule.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kymo::findings {

constexpr std::int64_t kMs = 1'000'000;

// One occurrence; whatever is not set is 0, or as in a quiet run.
struct MadeOccurrence {
    std::uint32_t thread = 0;
    std::uint64_t begin = 0;
    spacetime::TimeTerms terms;
    std::vector<std::int64_t> deltas = {};  // by counter
    std::vector<spacetime::OccurrenceWait> waits = {};
    std::uint32_t before = spacetime::kParentItself;
    std::uint32_t after = spacetime::kParentItself;
    std::uint32_t step = spacetime::kStreamEdge;
    std::int64_t ready_before = 0;
    std::vector<std::int64_t> gap_deltas = {};     // since the one before in its thread
    std::optional<spacetime::TimeTerms> gap = {};  // none: run queue as `ready_before` says, the rest user time
    std::int64_t held_up = 0;
    std::int64_t taken = 0;
    std::uint32_t migrations = 0;
    std::uint32_t processor = 0;
    double progress = kUnknown;
};

class MadeEvidence {
  public:
    explicit MadeEvidence(std::vector<std::string> counters = {}, std::size_t threads = 1);

    std::uint32_t add_node(std::string function, std::uint32_t parent = kNone,
                           spacetime::SpaceKind kind = spacetime::SpaceKind::kFunction);
    // In the order of the stream: by thread, then by time.
    void add_occurrence(std::uint32_t node, const MadeOccurrence& occurrence);
    std::uint32_t add_wait_target(recording::WaitKind kind, std::string function, std::uint32_t holder = kNone);

    // Fills in what follows from the occurrences (medians, the run's ends and sums). Call once, last.
    const spacetime::Evidence& finish();

    spacetime::Evidence evidence;
};

// What a rule about the whole run says of it.
std::vector<Claim> claims_of(const Rule& rule, const spacetime::Evidence& evidence);

// The finding of a kind; null where there is none.
const Finding* find(const std::vector<Finding>& findings, const std::string& kind);

}  // namespace kymo::findings
