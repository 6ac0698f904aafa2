// Two recordings of one program side by side: what the earlier one kept, with the events of both.
//
// Pieces of code are the same where image, kind and call path are (evidence/identity.h). A heavy space is taken by
// its code: which pairs of addresses follow each other differs from run to run, so events and user time are those of
// all pairs' spaces, each in the proportion in which its bytes lie in this one, in both recordings alike. A gap's
// events are summed over all gaps of the piece of code, a pattern's over its occurrences between these neighbours.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/look/looked_for.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

// What one of the two recordings says.
struct Seen {
    bool is_seen = false;
    std::uint64_t count = 0;           // occurrences, gaps; of a heavy space 0
    std::int64_t ns = 0;               // wall time of occurrences and gaps; user time in a heavy space
    std::uint64_t longest_ns = 0;      // occurrence or gap
    std::vector<std::int64_t> deltas;  // by counter of that recording
};

struct LookedAt {
    NodeIndex node = {};           // of the earlier evidence's nodes; of a pattern: the space between
    std::uint32_t space = kNone;   // of its heavy spaces
    std::uint32_t before = kNone;  // of patterns: node, or as in CodePattern
    std::uint32_t after = kNone;
    Seen first;   // in the earlier recording
    Seen second;  // in this one
};

struct SecondLook {
    LookedFor asked;
    std::string problem;  // why nothing can be said of the earlier recording; empty: it can
    std::vector<std::string> first_counters;
    std::vector<std::string> second_counters;
    std::vector<LookedAt> spaces;  // pieces of code, then heavy spaces: the order of the earlier recording's spaces
    std::vector<LookedAt> intervals;
    std::vector<LookedAt> patterns;
};

// `first` with its code_sums (EvidenceOptions::sum_code), `second` made with EvidenceOptions::looked_at = &first.
SecondLook join_looks(const LookedFor& asked, const Evidence& first, const Evidence& second);

}  // namespace kymo::spacetime
