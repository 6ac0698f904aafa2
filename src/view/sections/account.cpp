// Where the time of all threads went: each second in one class and at one place of the program's own code.
#include "spacetime/evidence/account.h"

#include "view/sections/section.h"
#include "view/sections/shown_account.h"
#include "view/table.h"
#include "view/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace kymo::view {
namespace {

using spacetime::Account;
using spacetime::AccountRow;

// In a short report few, and none where even that has no room.
std::size_t most_rows(const SectionInput& in) {
    constexpr std::size_t kFew = 3;
    return in.options.is_short ? std::min(kFew, in.others()) : in.options.top;
}

std::string account_text(const SectionInput& in) {
    const Account& account = in.analysis.evidence.account;
    if (account.total_ns <= 0 || account.rows.empty()) {
        return {};
    }
    const Style& style = in.options.style;
    const auto run = static_cast<double>(in.analysis.profile.end - in.analysis.profile.begin);
    const auto all = static_cast<double>(account.total_ns);
    const std::vector<ShownAccountRow> shown = shown_account(account, most_rows(in));
    if (shown.empty()) {
        return {};
    }
    Table table{.headings = {"shorter", "of all", "time", "thread time"}, .rows = {}};
    for (const ShownAccountRow& row : shown) {
        std::vector<Cell> cells = {{run > 0 ? percent(static_cast<double>(row.shorter_ns) / run) : ""},
                                   {percent(static_cast<double>(row.ns) / all)},
                                   {duration(style, row.ns)},
                                   {row.what}};
        if (!row.where.empty()) {
            cells.push_back({" in "});
            cells.push_back({row.where, Ink::kName});
        }
        if (!row.held_by.empty()) {
            cells.push_back({" for " + row.held_by, Ink::kDim});
        }
        table.rows.push_back(std::move(cells));
    }
    return "\n" +
           paint(style, Ink::kHeading,
                 fmt::format("Account of {} of thread time", duration(style, account.total_ns))) +
           "; shorter: the run without it\n" + render(style, table);
}

nlohmann::ordered_json place_json(const program::SourcePlace& place) {
    if (place.function.empty()) {
        return nullptr;
    }
    return {{"function", place.function}, {"module", place.module}, {"file", place.file}, {"line", place.line}};
}

void account_json(const analysis::Analysis& analysis, nlohmann::ordered_json& report) {
    const Account& account = analysis.evidence.account;
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const AccountRow& row : account.rows) {
        const bool has_family = row.family != spacetime::TaxFamily::kNone;
        rows.push_back({{"class", spacetime::info_of(row.time_class).key},
                        {"family", has_family ? nlohmann::ordered_json(spacetime::info_of(row.family).key) : nullptr},
                        {"detail", row.detail},
                        {"place", place_json(row.place)},
                        {"held_by", place_json(row.held_by)},
                        {"seconds", seconds(row.ns)},
                        {"shorter_s", seconds(row.shorter_ns)},
                        {"threads", row.threads.size()}});
    }
    report["thread_seconds"] = seconds(account.total_ns);
    report["account"] = std::move(rows);
}

}  // namespace

extern const Section kAccountSection{
    .place = 15,
    .needs_code = true,
    .text = account_text,
    .json = account_json,
};

}  // namespace kymo::view
