#include "view/sections/shown_account.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using spacetime::AccountRow;

constexpr double kLeastShown = 0.005;

std::string what_of(const AccountRow& row) {
    std::string text(row.family != spacetime::TaxFamily::kNone ? spacetime::info_of(row.family).words
                                                               : spacetime::info_of(row.time_class).words);
    if (!row.detail.empty()) {
        text += fmt::format(" ({})", row.detail);
    }
    return text;
}

std::string where_of(const program::SourcePlace& place) {
    if (place.function.empty()) {
        return {};
    }
    const std::string file = place.file.substr(place.file.rfind('/') + 1);
    std::string name(spacetime::qualified_name(place.function));
    if (const std::string hidden = "(anonymous namespace)::"; name.find(hidden) != std::string::npos) {
        name.erase(name.find(hidden), hidden.size());
    }
    return place.line == 0 ? name : fmt::format("{} ({}:{})", name, file, place.line);
}

}  // namespace

std::vector<ShownAccountRow> shown_account(const spacetime::Account& account, std::size_t most) {
    std::vector<const AccountRow*> rows;
    for (const AccountRow& row : account.rows) {
        if (static_cast<double>(row.ns) >= kLeastShown * static_cast<double>(account.total_ns)) {
            rows.push_back(&row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const AccountRow* a, const AccountRow* b) { return a->shorter_ns > b->shorter_ns; });
    rows.resize(std::min(rows.size(), most));
    std::vector<ShownAccountRow> shown;
    for (const AccountRow* const row : rows) {
        shown.push_back({what_of(*row), where_of(row->place), where_of(row->held_by), row->ns, row->shorter_ns});
    }
    return shown;
}

}  // namespace kymo::view
