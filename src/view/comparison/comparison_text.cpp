#include "view/comparison/comparison_rows.h"
#include "view/table.h"

#include <fmt/format.h>

namespace kymo::view {
namespace {

using compare::Change;
using compare::Comparison;

std::string section_text(const Style& style, const Comparison& comparison, const ComparisonSection& section) {
    Table table;
    table.headings = {"change", "", "base", "new", comparison.has_p ? "p" : "±"};
    table.headings.emplace_back("");
    for (const Change* const change : section.changes) {
        std::vector<Cell> cells = {{difference_text(style, *change), Ink::kHot},
                                   {ratio_text(*change)},
                                   {amount_text(style, *change, change->base.median)},
                                   {amount_text(style, *change, change->other.median)}};
        cells.push_back({certainty_text(style, comparison, *change), Ink::kDim});
        cells.push_back({change_name(*change), Ink::kName});
        for (const std::string& more : {change_place(*change), line_text(style, *change)}) {
            if (!more.empty()) {
                cells.push_back({"  " + more, Ink::kDim});
            }
        }
        table.rows.push_back(std::move(cells));
    }
    std::string text = "\n" + paint(style, Ink::kHeading, section.title) + "\n" + render(style, table);
    if (section.more != 0) {
        text += "  " +
                paint(style, Ink::kDim,
                      fmt::format("{} {} more (--top {})", signs(style).ellipsis, section.more,
                                  section.more + section.changes.size())) +
                "\n";
    }
    return text;
}

std::string findings_text(const Style& style, const Comparison& comparison, std::size_t top) {
    std::string text;
    const auto add = [&](const char* what, const std::vector<compare::FindingChange>& list) {
        for (std::size_t i = 0; i < list.size() && i < top; ++i) {
            text += wrap(style,
                         fmt::format("{:<8} {:5.1f} % {} {:5.1f} %  {}  {}", what, 100 * list[i].base_share,
                                     signs(style).arrow, 100 * list[i].other_share, list[i].kind, list[i].place),
                         2, 11);
        }
    };
    add("new", comparison.findings.added);
    add("changed", comparison.findings.changed);
    add("gone", comparison.findings.gone);
    return text.empty() ? text : "\n" + paint(style, Ink::kHeading, "Findings") + "\n" + text;
}

}  // namespace

std::string comparison_text(const Style& style, const Comparison& comparison, const ComparisonOptions& options) {
    std::string text = fmt::format("base  {}\nnew   {}\n", options.base, options.other);
    Table table;
    table.headings = {"change", "", "base", "new", comparison.has_p ? "p" : ""};
    table.headings.emplace_back("");
    for (const Change* const change : whole_changes(comparison)) {
        std::vector<Cell> cells = {{difference_text(style, *change)},
                                   {ratio_text(*change), comparison.differs(*change) ? Ink::kHot : Ink::kPlain},
                                   {amount_text(style, *change, change->base.median)},
                                   {amount_text(style, *change, change->other.median)},
                                   {p_text(comparison, *change), Ink::kDim}};
        cells.push_back({change->key.name});
        table.rows.push_back(std::move(cells));
    }
    text += render(style, table) + "\n" + wrap(style, comparison_note(comparison), 0, 0);
    for (const ComparisonSection& section : comparison_sections(comparison, options)) {
        text += section_text(style, comparison, section);
    }
    text += findings_text(style, comparison, options.top);
    for (const std::string& warning : comparison.warnings) {
        text += "\n" + paint(style, Ink::kWarning, warning) + "\n";
    }
    return text;
}

}  // namespace kymo::view
