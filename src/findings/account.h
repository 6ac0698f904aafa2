// The excess of slow occurrences, accounted for by the terms of the time identity: exact, so it needs no test.
//
// A slow occurrence is compared with the *usual* occurrence: the mean of the middle half (by duration) of the fast
// ones, which is as robust as their median and, unlike it, adds up over the terms. So for every occurrence, and for
// all together,
//
//     excess of wall time = Σ excess of the terms,  bit for bit
//
// and the excess of waiting is the sum of the excesses by wait target.
#pragma once

#include "base/index.h"
#include "findings/finding.h"
#include "findings/terms.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kymo::findings {

struct ExcessPart {
    Term term = Term::kUser;
    std::uint32_t target = kNone;  // of kWaiting: index of Evidence::wait_targets; otherwise none
    std::int64_t ns = 0;
};

// Which parts of an excess a rule explains.
struct Explains {
    TermSet terms = kAllTerms;
    // Of waiting: only for these targets (ascending). `all_targets`: for every target.
    std::vector<std::uint32_t> targets = {};
    bool all_targets = true;
};

struct Excess {
    std::vector<std::size_t> rows;                       // the slow occurrences
    spacetime::TimeTerms usual;                          // of one usual occurrence
    spacetime::TimeTerms terms;                          // of all slow occurrences, beyond the usual
    std::vector<ExcessPart> parts;                       // non-zero ones, most first; they add up to total()
    std::vector<spacetime::OccurrenceWait> usual_waits;  // of one usual occurrence, by target

    std::int64_t total() const { return terms.wall(); }
};

Excess account(const spacetime::OccurrenceTable& occurrences, std::span<const std::size_t> slow,
               std::span<const std::size_t> fast);

// By slow occurrence (as in Excess::rows): the excess that is explained, at most the occurrence's own excess and at
// least 0. ns.
std::vector<double> explained(const spacetime::OccurrenceTable& occurrences, const Excess& excess,
                              const Explains& explains);

}  // namespace kymo::findings
