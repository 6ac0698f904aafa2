#include "view/exports/export.h"

#include <algorithm>
#include <vector>

namespace kymo::view {

#define KYMO_EACH(name) extern const Export name;  // NOLINT(bugprone-macro-parentheses): a declaration
#include "exports.inc"
#undef KYMO_EACH

std::span<const Export* const> exports() {
    static const std::vector<const Export*> by_name = [] {
        std::vector<const Export*> all = {
#define KYMO_EACH(name) &(name),
#include "exports.inc"
#undef KYMO_EACH
        };
        std::sort(all.begin(), all.end(), [](const Export* a, const Export* b) { return a->name < b->name; });
        return all;
    }();
    return by_name;
}

}  // namespace kymo::view
