#include "view/summary.h"
#include "view/terminal/sections.h"
#include "view/tree_rows.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::size_t kTreeRowsATableRow = 4;

// How far rows are indented: three columns a level, one if a deep level would otherwise get less than two thirds of
// the line. Deeper rows are shown below the deepest level that has a column, with a note of how much deeper they are.
class Guides {
  public:
    Guides(const Sheet& sheet, const std::vector<TreeRow>& rows) : sign_(sheet.sign()) {
        constexpr std::size_t kWide = 3;
        const std::size_t room = sheet.style.width / kWide;
        std::size_t deepest = 0;
        for (const TreeRow& row : rows) {
            deepest = std::max(deepest, levels_of(row));
        }
        is_narrow_ = deepest * kWide > room;
        most_ = is_narrow_ ? room : deepest;
    }

    std::string of(const TreeRow& row) const {
        const std::size_t levels = levels_of(row);
        const std::size_t shown = std::min(levels, most_);
        std::string text;
        for (std::size_t level = 1; level < shown; ++level) {
            text += column(row.is_last[level] ? sign_.gap : sign_.through);
        }
        if (shown != 0) {
            text += column(row.is_last[levels] ? sign_.last : sign_.branch) + (is_narrow_ ? " " : "");
        }
        return levels > shown ? text + fmt::format("(+{}) ", levels - shown) : text;
    }

  private:
    // The outermost have none.
    static std::size_t levels_of(const TreeRow& row) { return row.is_last.empty() ? 0 : row.is_last.size() - 1; }
    std::string column(std::string_view sign) const { return std::string(is_narrow_ ? first_sign(sign) : sign); }

    const Signs& sign_;
    bool is_narrow_ = false;
    std::size_t most_ = 0;
};

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
        std::string name = with_signs(sheet.style, display_name(sheet.tree, node.function));
        if (node.combined > 1) {
            name = quantity(sheet.profile.ranks.size(), "rank", "ranks");
        }
        if (node.recursion > 1) {
            name += " " + std::string(sheet.sign().times) + std::to_string(node.recursion);
        }
        names.push_back(node.inlined ? "[" + name + "]" : name);
    }
    const CallNode& end = row.chain.back().in(sheet.folded.nodes);
    const std::string where = end.kind == NodeKind::kFrame ? place(sheet.tree, end.file, end.line) : std::string();
    const std::size_t figures = 2 + 7 + 2 + sheet.time_columns() * 10 +
                                (sheet.options.metric.is_usual ? 0 : 2 + sheet.options.metric.name.size());
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
    // No line omits its process or rank.
    const bool is_of_process = row.chain.front().in(sheet.folded.nodes).kind == NodeKind::kProcess;
    if (names.size() == 2 && length() > room && !is_of_process) {
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
    constexpr std::size_t kLeastName = 12;
    const bool has_room = room >= taken + kLeastName;
    // If both do not fit, the name rather than its line.
    const std::size_t whole = has_room ? room : room + columns(where) + 2;
    cells.push_back({cut_begin(sheet.style, names.back(), std::max(whole, taken + kLeastName) - taken), Ink::kName});
    if (!where.empty() && has_room) {
        cells.push_back({"  " + where, Ink::kDim});
    }
}

}  // namespace

void call_paths(Sheet& sheet) {
    sheet.heading("Hot call paths", sheet.by_metric());
    TreeLimits limits;
    limits.least_share = sheet.options.percent.value_or(1.0) / 100;
    limits.most_rows = sheet.options.percent    ? SIZE_MAX
                       : sheet.options.is_short ? sheet.options.limits.tree
                                                : std::max<std::size_t>(sheet.options.top * kTreeRowsATableRow, 20);
    const auto rows = tree_rows(sheet.folded, sheet.options.metric, limits);
    Table table;
    table.headings.push_back("share");
    sheet.add_heads(table.headings);
    table.headings.push_back("call path");
    const std::int64_t total = sheet.options.metric.of(sheet.tree.total[0]);
    if (total <= 0) {
        sheet.out += "  nothing: no " + sheet.options.metric.name + " was recorded\n";
        return;
    }
    if (rows.empty()) {
        sheet.out += fmt::format("  nothing: no call path has {} of it; smaller ones: --percent 0.1\n",
                                 percent(limits.least_share));
        return;
    }
    const Guides tree_guides(sheet, rows);
    for (const TreeRow& row : rows) {
        std::vector<Cell> cells{sheet.share_cell(sheet.options.metric.of(row.costs), total)};
        sheet.add_times(cells, row.costs);
        const std::string guides = tree_guides.of(row);
        if (!guides.empty()) {
            cells.push_back({guides, Ink::kDim});
        }
        add_row_text(sheet, cells, row, columns(guides));
        table.rows.push_back(std::move(cells));
    }
    sheet.out += render(sheet.style, table);
}

}  // namespace kymo::view
