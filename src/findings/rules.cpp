#include "findings/rule.h"

#include <algorithm>
#include <vector>

namespace kymo::findings {

#define KYMO_EACH(name) extern const Rule name;  // NOLINT(bugprone-macro-parentheses): a declaration
#include "rules.inc"
#undef KYMO_EACH

std::span<const Rule* const> rules() {
    static const std::vector<const Rule*> by_place = [] {
        std::vector<const Rule*> all = {
#define KYMO_EACH(name) &(name),
#include "rules.inc"
#undef KYMO_EACH
        };
        std::stable_sort(all.begin(), all.end(), [](const Rule* a, const Rule* b) { return a->place < b->place; });
        return all;
    }();
    return by_place;
}

}  // namespace kymo::findings
