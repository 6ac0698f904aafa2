#include "view/comparison/comparison_rows.h"
#include "view/report_markdown.h"

#include <fmt/format.h>

namespace kymo::view {
namespace {

using compare::Change;
using compare::Comparison;

constexpr Style kPlain{.width = 120, .colour = false, .unicode = true};

std::string table(const Comparison& comparison, const std::vector<const Change*>& changes) {
    std::string text = fmt::format("| | base | new | change | | {} |\n|---|---:|---:|---:|---:|---:|\n",
                                   comparison.has_p ? "p" : "±");
    for (const Change* const change : changes) {
        const std::string place = change_place(*change);
        const std::string lines = line_text(kPlain, *change);
        const bool is_whole = change->key.kind == compare::RowKind::kWhole;
        text += fmt::format("| {}{}{} | {} | {} | {} | {} | {} |\n",
                            is_whole ? change->key.name : markdown_code(change_name(*change)),
                            place.empty() ? "" : " " + place, lines.empty() ? "" : ", " + lines,
                            amount_text(kPlain, *change, change->base.median),
                            amount_text(kPlain, *change, change->other.median), difference_text(kPlain, *change),
                            ratio_text(*change), certainty_text(kPlain, comparison, *change));
    }
    return text;
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, const ComparisonOptions& options) {
    std::string text = fmt::format("**{}** against **{}**\n\n", options.other, options.base);
    text += table(comparison, whole_changes(comparison)) + "\n" + comparison_note(comparison) + "\n";
    for (const ComparisonSection& section : comparison_sections(comparison, options)) {
        text += fmt::format("\n### {}\n\n{}", section.title, table(comparison, section.changes));
        if (section.more != 0) {
            text += fmt::format("\n{} more\n", section.more);
        }
    }
    std::string findings;
    const auto add = [&](const char* what, const std::vector<compare::FindingChange>& list) {
        for (std::size_t i = 0; i < list.size() && i < options.top; ++i) {
            findings +=
                fmt::format("- {}: {} in {}, {:.1f} % → {:.1f} % of the run\n", what, list[i].kind,
                            markdown_code(list[i].place), 100 * list[i].base_share, 100 * list[i].other_share);
        }
    };
    add("new", comparison.findings.added);
    add("changed", comparison.findings.changed);
    add("gone", comparison.findings.gone);
    if (!findings.empty()) {
        text += "\n### Findings\n\n" + findings;
    }
    for (const std::string& warning : comparison.warnings) {
        text += "\n> " + warning + "\n";
    }
    return text;
}

}  // namespace kymo::view
