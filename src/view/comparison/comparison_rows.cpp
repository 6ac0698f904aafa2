#include "view/comparison/comparison_rows.h"

#include "compare/permutation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

namespace {

constexpr double kSameDifference = 0.8;

bool is_most_of(const Change& part, const Change& whole) {
    return part.difference() * whole.difference() > 0 &&
           std::abs(part.difference()) >= kSameDifference * std::abs(whole.difference());
}

// Whether the path's difference is that of its last function, which has no other path.
bool is_of_function(const Comparison& comparison, const Change& path) {
    const std::string last = compare::path_parts(path.key.name).back();
    const Change* const function = comparison.find({RowKind::kFunction, last});
    return function != nullptr && comparison.differs(*function) && is_most_of(*function, path) &&
           is_most_of(path, *function) &&
           std::count_if(comparison.changes.begin(), comparison.changes.end(), [&](const Change& other) {
               return other.key.kind == RowKind::kPath && compare::path_parts(other.key.name).back() == last;
           }) == 1;
}

// Removes callers of a path that has most of their difference, and paths that only repeat the row of their function.
void drop_repetitions(const Comparison& comparison, std::vector<const Change*>& paths) {
    const std::vector<const Change*> all = paths;
    std::erase_if(paths, [&](const Change* path) {
        const std::string begin = path->key.name + std::string(compare::kCalls);
        return is_of_function(comparison, *path) || std::any_of(all.begin(), all.end(), [&](const Change* other) {
                   return other->key.name.starts_with(begin) && is_most_of(*other, *path);
               });
    });
}

// "main › solve › sort", or "… › solve › sort" of a path with more than three functions. Functions that call main are
// left out, and the libraries' names, so that the last function, which matters most, fits the line.
std::string last_parts(const std::string& path) {
    constexpr std::ptrdiff_t kMostParts = 3;
    std::vector<std::string> parts = compare::path_parts(path);
    for (std::string& part : parts) {
        part.resize(part.ends_with(')') ? std::min(part.rfind(" ("), part.size()) : part.size());
    }
    auto first = std::find(parts.begin(), parts.end(), "main");
    first = first == parts.end() ? parts.begin() : first;
    const bool is_long = parts.end() - first > kMostParts;
    first = is_long ? parts.end() - (kMostParts - 1) : first;
    return fmt::format("{}{}{}", is_long ? "…" : "", is_long ? compare::kCalls : "",
                       fmt::join(first, parts.end(), compare::kCalls));
}

}  // namespace

std::string change_name(const Change& change) {
    return change.key.kind == RowKind::kPath ? last_parts(change.shown) : change.shown;
}

std::vector<ComparisonSection> comparison_sections(const Comparison& comparison, const ComparisonOptions& options) {
    struct Wanted {
        const char* title;
        RowKind kind;
        bool grown;
    };
    static constexpr Wanted kSections[] = {{"Slower functions", RowKind::kFunction, true},
                                           {"Slower call paths (with all that they call)", RowKind::kPath, true},
                                           {"Longer waits", RowKind::kWait, true},
                                           {"More events", RowKind::kEvent, true},
                                           {"Faster functions", RowKind::kFunction, false},
                                           {"Faster call paths (with all that they call)", RowKind::kPath, false},
                                           {"Shorter waits", RowKind::kWait, false},
                                           {"Fewer events", RowKind::kEvent, false}};
    std::vector<ComparisonSection> sections;
    for (const Wanted& wanted : kSections) {
        if (wanted.kind == RowKind::kPath && !wanted.grown && !options.all) {
            continue;  // the functions that became faster are shown, and the text has to stay short
        }
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
        if (wanted.kind == RowKind::kPath && !options.all) {
            drop_repetitions(comparison, section.changes);
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
            "{} a side: any of these sizes may be chance (±: the error of sampling). "
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
