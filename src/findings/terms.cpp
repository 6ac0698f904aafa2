#include "findings/terms.h"

namespace kymo::findings {

std::int64_t of(const spacetime::TimeTerms& terms, Term term) {
    return terms.*kTerms[static_cast<std::size_t>(term)].member;
}

std::int64_t sum_of(const spacetime::TimeTerms& terms, TermSet some) {
    std::int64_t ns = 0;
    for (const TermInfo& info : kTerms) {
        ns += has(some, info.term) ? terms.*info.member : 0;
    }
    return ns;
}

std::string_view words(Term term) {
    return kTerms[static_cast<std::size_t>(term)].words;
}

}  // namespace kymo::findings
