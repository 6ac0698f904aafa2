#include "view/comparison/comparison_rows.h"

#include "compare/permutation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace kymo::view {

using compare::Change;
using compare::Comparison;
using compare::RowKind;

std::vector<const Change*> whole_changes(const Comparison& comparison) {
    std::vector<const Change*> all;
    for (const auto& key : {compare::kWallTime, compare::kProcessorTime, compare::kOffTime}) {
        if (const Change* const change = comparison.find(key); change != nullptr) {
            all.push_back(change);
        }
    }
    return all;
}

std::vector<ComparisonSection> comparison_sections(const Comparison& comparison, const ComparisonOptions& options) {
    struct Wanted {
        const char* title;
        RowKind kind;
        bool grown;
    };
    static constexpr Wanted kSections[] = {
        {"Slower functions", RowKind::kFunction, true}, {"Longer waits", RowKind::kWait, true},
        {"More events", RowKind::kEvent, true},         {"Faster functions", RowKind::kFunction, false},
        {"Shorter waits", RowKind::kWait, false},       {"Fewer events", RowKind::kEvent, false}};
    std::vector<ComparisonSection> sections;
    for (const Wanted& wanted : kSections) {
        ComparisonSection section{wanted.title, {}, 0};
        for (const Change& change : comparison.changes) {
            const bool grown = change.difference() > 0;
            if (change.key.kind == wanted.kind && change.difference() != 0 && grown == wanted.grown &&
                (options.all || comparison.differs(change))) {
                section.changes.push_back(&change);
            }
        }
        if (!wanted.grown) {
            std::reverse(section.changes.begin(), section.changes.end());  // most first
        }
        section.more = section.changes.size() - std::min(section.changes.size(), options.top);
        section.changes.resize(section.changes.size() - section.more);
        if (!section.changes.empty()) {
            sections.push_back(std::move(section));
        }
    }
    return sections;
}

std::string amount_text(const Style& style, const Change& change, double value) {
    return change.key.kind == RowKind::kEvent ? count(std::llround(value)) : duration(style, std::llround(value));
}

std::string difference_text(const Style& style, const Change& change) {
    const double difference = change.difference();
    return (difference < 0 ? "-" : "+") + amount_text(style, change, std::abs(difference));
}

std::string ratio_text(const Change& change) {
    if (change.base.median <= 0) {
        return change.other.median > 0 ? "new" : "";
    }
    return change.other.median <= 0 ? "gone" : fmt::format("{:+.1f} %", 100 * change.ratio());
}

std::string p_text(const Comparison& comparison, const Change& change) {
    if (!comparison.has_p) {
        return "";
    }
    return change.p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", change.p);
}

std::string certainty_text(const Style& style, const Comparison& comparison, const Change& change) {
    return comparison.has_p   ? p_text(comparison, change)
           : change.error > 0 ? amount_text(style, change, change.error)
                              : "";
}

std::string change_place(const Change& change) {
    if (change.file.empty()) {
        return "";
    }
    const std::string file = change.file.substr(change.file.rfind('/') + 1);
    return change.line == 0 ? file : fmt::format("{}:{}", file, change.line);
}

std::string line_text(const Style& style, const Change& change) {
    if (change.lines.empty() || change.line == 0 ||
        2 * std::abs(change.lines[0].difference) < std::abs(change.difference())) {
        return "";
    }
    const double most = change.lines[0].difference;
    return fmt::format("mostly line {} ({}{})", static_cast<std::int64_t>(change.line) + change.lines[0].line,
                       most < 0 ? "-" : "+", duration(style, std::llround(std::abs(most))));
}

std::string comparison_note(const Comparison& comparison) {
    if (!comparison.has_p) {
        return fmt::format(
            "{} a side: the spread between runs is not known, so these are sizes, and any may be chance "
            "(±: the error of sampling). "
            "Five runs a side or more give p-values: kymo diff base*.kymo -- new*.kymo",
            comparison.base_runs == 1 && comparison.other_runs == 1
                ? std::string("One run")
                : fmt::format("{} and {} runs", comparison.base_runs, comparison.other_runs));
    }
    const auto significant = std::count_if(comparison.changes.begin(), comparison.changes.end(),
                                           [&](const Change& change) { return comparison.differs(change); });
    return fmt::format("{} of {} times and counts differ significantly (p ≤ 0.05, adjusted for all of them).",
                       significant == 0 ? std::string("None") : fmt::format("{}", significant),
                       comparison.changes.size());
}

}  // namespace kymo::view
