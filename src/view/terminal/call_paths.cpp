#include "view/summary.h"
#include "view/terminal/sections.h"
#include "view/tree_rows.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::size_t kTreeRowsATableRow = 4;
constexpr std::size_t kShortTreeRows = 10;

// Deep trees stop moving to the right at a third of the line.
std::string guides_of(const Sheet& sheet, const TreeRow& row) {
    const std::size_t most = sheet.style.width / 9;
    const std::size_t levels = row.is_last.size();
    const std::size_t first = levels > most ? levels - most : 1;
    std::string text;
    for (std::size_t level = first; level < levels; ++level) {
        const bool is_own = level + 1 == levels;
        text += is_own ? (row.is_last[level] ? sheet.sign().last : sheet.sign().branch)
                       : (row.is_last[level] ? sheet.sign().gap : sheet.sign().through);
    }
    return text;
}

void add_row_text(const Sheet& sheet, std::vector<Cell>& cells, const TreeRow& row, std::size_t guide_width) {
    if (row.kind == TreeRow::Kind::kRest) {
        cells.push_back(
            {std::string(sheet.sign().ellipsis) + " " + count(static_cast<std::int64_t>(row.rest)) + " more",
             Ink::kDim});
        return;
    }
    if (row.kind == TreeRow::Kind::kItself) {
        cells.push_back(
            {"in " + display_name(sheet.tree, row.chain[0].in(sheet.folded.nodes).function) + " itself", Ink::kDim});
        return;
    }
    // A chain: what fits of its beginning, always its last two.
    std::vector<std::string> names;
    for (const spacetime::CallNodeIndex link : row.chain) {
        const CallNode& node = link.in(sheet.folded.nodes);
        std::string name = display_name(sheet.tree, node.function);
        if (node.recursion > 1) {
            name += " " + std::string(sheet.sign().times) + std::to_string(node.recursion);
        }
        names.push_back(node.inlined ? "[" + name + "]" : name);
    }
    const CallNode& end = row.chain.back().in(sheet.folded.nodes);
    const std::string where = end.kind == NodeKind::kFrame ? place(sheet.tree, end.file, end.line) : std::string();
    const std::size_t figures =
        2 + 7 + 2 + 3 * 10 + (sheet.options.metric.is_usual ? 0 : 2 + sheet.options.metric.name.size());
    const std::size_t used = figures + guide_width + columns(where) + 2;
    const std::size_t room = sheet.style.width > used + 20 ? sheet.style.width - used : 20;
    std::size_t hidden = 0;
    const auto length = [&] {
        std::size_t sum = hidden == 0 ? 0 : columns(sheet.sign().ellipsis) + 8 + columns(sheet.sign().then);
        for (std::size_t i = 0; i < names.size(); ++i) {
            sum += columns(names[i]) + (i == 0 ? 0 : columns(sheet.sign().then));
        }
        return sum;
    };
    while (names.size() > 2 && length() > room) {
        names.erase(names.begin() + 1);
        ++hidden;
    }
    if (names.size() == 2 && length() > room) {
        names.erase(names.begin());
        ++hidden;
    }
    std::string before;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
        before += names[i] + std::string(sheet.sign().then);
        if (i == 0 && hidden != 0) {
            before += fmt::format("{} {} {}{}", sheet.sign().ellipsis, hidden, "more", sheet.sign().then);
        }
    }
    if (names.size() == 1 && hidden != 0) {
        before = std::string(sheet.sign().ellipsis) + std::string(sheet.sign().then);
    }
    cells.push_back({before, Ink::kPlain});
    const std::size_t taken = columns(before);
    cells.push_back(
        {cut_begin(sheet.style, names.back(), std::max<std::size_t>(room, taken + 12) - taken), Ink::kName});
    if (!where.empty()) {
        cells.push_back({"  " + where, Ink::kDim});
    }
}

}  // namespace

void call_paths(Sheet& sheet) {
    sheet.heading("Hot call paths", sheet.by_metric());
    TreeLimits limits;
    limits.least_share = sheet.options.percent.value_or(1.0) / 100;
    limits.most_rows = sheet.options.percent    ? SIZE_MAX
                       : sheet.options.is_short ? kShortTreeRows
                                                : std::max<std::size_t>(sheet.options.top * kTreeRowsATableRow, 20);
    const auto rows = tree_rows(sheet.folded, sheet.options.metric, limits);
    Table table;
    table.headings.push_back("share");
    sheet.add_heads(table.headings);
    table.headings.push_back("call path");
    const std::int64_t total = sheet.options.metric.of(sheet.tree.total[0]);
    if (rows.empty() || total <= 0) {
        sheet.out += "  nothing: no " + sheet.options.metric.name + " was recorded\n";
        return;
    }
    for (const TreeRow& row : rows) {
        std::vector<Cell> cells{sheet.share_cell(sheet.options.metric.of(row.costs), total)};
        sheet.add_times(cells, row.costs);
        const std::string guides = guides_of(sheet, row);
        if (!guides.empty()) {
            cells.push_back({guides, Ink::kDim});
        }
        add_row_text(sheet, cells, row, columns(guides));
        table.rows.push_back(std::move(cells));
    }
    sheet.out += render(sheet.style, table);
}

}  // namespace kymo::view
