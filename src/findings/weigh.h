// From a rule's claim to a finding with the amount at stake: added up, bounded, with its evidence.
#pragma once

#include "findings/rule.h"

#include <cstddef>
#include <vector>

namespace kymo::findings {

// A finding with what the engine needs to join it with others.
struct Weighed {
    Finding finding;
    const Rule* rule = nullptr;
    std::size_t subject = 0;  // index of the case
    TermSet terms = 0;        // that make up at least a fifth of what it explains
    std::vector<std::uint32_t> targets;
    bool is_part = false;  // Claim's
};

Weighed weigh(const Case& subject, const Rule& rule, Claim claim);

}  // namespace kymo::findings
