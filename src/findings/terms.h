// The terms of the time identity (spacetime/evidence/occurrences/occurrence_table.h), as a list.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_table.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace kymo::findings {

enum class Term : std::uint8_t { kUser, kSpinning, kSystem, kRunQueue, kWaiting, kOther };

struct TermInfo {
    Term term;
    std::int64_t spacetime::TimeTerms::* member;
    std::string_view words;  // "… of the excess is WORDS"
};

inline constexpr std::array kTerms = {
    TermInfo{Term::kUser, &spacetime::TimeTerms::user, "user time"},
    TermInfo{Term::kSpinning, &spacetime::TimeTerms::spinning, "polling in a wait"},
    TermInfo{Term::kSystem, &spacetime::TimeTerms::system, "time in the kernel"},
    TermInfo{Term::kRunQueue, &spacetime::TimeTerms::run_queue, "waiting for a processor"},
    TermInfo{Term::kWaiting, &spacetime::TimeTerms::waiting, "waiting"},
    TermInfo{Term::kOther, &spacetime::TimeTerms::other, "off the processor for a reason not known"},
};

using TermSet = std::uint32_t;  // of bits 1 << Term
constexpr TermSet set_of(Term term) {
    return 1U << static_cast<unsigned>(term);
}
template <typename... More>
constexpr TermSet set_of(Term term, More... more) {
    return set_of(term) | set_of(more...);
}
constexpr bool has(TermSet set, Term term) {
    return (set & set_of(term)) != 0;
}
inline constexpr TermSet kAllTerms = (1U << kTerms.size()) - 1;

std::int64_t of(const spacetime::TimeTerms& terms, Term term);
std::int64_t sum_of(const spacetime::TimeTerms& terms, TermSet some);
std::string_view words(Term term);
// On a processor, doing something: polling for the end of a wait does not count.
constexpr std::int64_t processor(const spacetime::TimeTerms& terms) {
    return terms.user + terms.system;
}

}  // namespace kymo::findings
