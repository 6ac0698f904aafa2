#include "view/sections/section.h"

#include <algorithm>
#include <vector>

namespace kymo::view {

#define KYMO_EACH(name) extern const Section name;  // NOLINT(bugprone-macro-parentheses): a declaration
#include "sections.inc"
#undef KYMO_EACH

std::span<const Section* const> sections() {
    static const std::vector<const Section*> by_place = [] {
        std::vector<const Section*> all = {
#define KYMO_EACH(name) &(name),
#include "sections.inc"
#undef KYMO_EACH
        };
        std::stable_sort(all.begin(), all.end(),
                         [](const Section* a, const Section* b) { return a->place < b->place; });
        return all;
    }();
    return by_place;
}

}  // namespace kymo::view
