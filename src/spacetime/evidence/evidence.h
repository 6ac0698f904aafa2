// The data of a recording about code spaces and time: everything that findings are made from and that tables show.
// Made by make_evidence.h. Plain values: any thread may read them.
//
// Indices: nodes, spaces, wait targets are those of the vectors here; threads and processes those of the Profile;
// counters those of Profile::events. kNone is "none" everywhere.
#pragma once

#include "spacetime/evidence/account.h"
#include "spacetime/evidence/collections.h"
#include "spacetime/evidence/node.h"
#include "spacetime/evidence/operands/late_code.h"
#include "spacetime/evidence/operands/shared_line.h"
#include "spacetime/evidence/run_facts.h"
#include "spacetime/profile/profile.h"
#include "spacetime/spaces/share.h"
#include "team/team.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

struct EvidenceOptions {
    Share space_share = percent(1);  // heavier spaces, and nodes with more of the time, are kept
    Share same_overlap = percent(90);
    std::uint64_t fold_below = 8;          // samples of the median occurrence
    std::size_t occurrence_cap = 4096;     // occurrences kept a node
    std::size_t sequence_cap = 1U << 16U;  // occurrences of a level and stream analysed for structure
    // For a second look: code_sums of one's own heavy spaces, or of those of an earlier recording, whose nodes are
    // then kept too. Borrowed.
    bool sums_code = false;
    const struct Evidence* looked_at = nullptr;
    const LateCode* late_code = nullptr;  // of the recording's branch stacks; none: not known. Borrowed.
    std::function<void(std::string_view)> on_stage = {};  // called when each stage begins, to time them
    // Processes that do this together, each with the same profile and names. The first gets the evidence, the others
    // get none. Borrowed.
    team::Team* team = nullptr;
};

inline constexpr std::uint64_t kMostTimed = 4096;

struct Evidence {
    RunFacts run;
    std::vector<WaitTarget> wait_targets;
    std::vector<WaitSum> wait_sums;  // parallel to wait_targets
    // By thread, then by begin: waits that are not for other threads, of targets with at most kMostTimed of them.
    std::vector<TimedWait> timed_waits;
    Account account;
    std::vector<SharedLine> shared_lines;  // falsely, most samples first
    std::vector<SpaceNode> nodes;          // a parent comes before its children; siblings by time, most first

    std::vector<HeavySpace> spaces;  // heaviest first
    std::vector<SameSpaces> same_spaces;
    std::vector<SpaceIntervals> intervals;  // of nodes with two occurrences or more in a stream, by node
    std::vector<CodePattern> patterns;      // by node, then most time first

    std::vector<CodeSums> code_sums;  // if requested, by the heavy spaces concerned

    std::vector<std::string> warnings;  // missing parts: code not readable, no marks, …
};

}  // namespace kymo::spacetime
