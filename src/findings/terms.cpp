#include "findings/terms.h"

namespace kymo::findings {

std::int64_t of(const spacetime::TimeTerms& terms, Term term) {
    return terms.*kTerms[static_cast<std::size_t>(term)].member;
}

std::string_view words(Term term) {
    return kTerms[static_cast<std::size_t>(term)].words;
}

}  // namespace kymo::findings
