#include "view/comparison/comparison.h"
#include "view/json_text.h"

#include <cmath>

namespace kymo::view {
namespace {

using compare::Change;
using compare::Comparison;
using compare::RowKind;
using Json = nlohmann::ordered_json;

const char* kind_key(RowKind kind) {
    switch (kind) {
        case RowKind::kWhole:
            return "whole";
        case RowKind::kFunction:
            return "function";
        case RowKind::kPath:
            return "path";
        case RowKind::kWait:
            return "wait";
        case RowKind::kEvent:
            return "event";
    }
    return "";
}

Json side_json(const compare::Side& side, double unit) {
    return {{"median", side.median / unit}, {"least", side.least / unit}, {"most", side.most / unit}};
}

Json change_json(const Comparison& comparison, const Change& change) {
    const double unit = change.key.kind == RowKind::kEvent ? 1 : 1e9;
    Json lines = Json::array();
    for (const compare::LineChange& line : change.lines) {
        lines.push_back(
            {{"line", change.line == 0 ? Json() : Json(static_cast<std::int64_t>(change.line) + line.line)},
             {"change", line.difference / unit}});
    }
    const bool is_ratio = std::isfinite(change.ratio());
    return {{"kind", kind_key(change.key.kind)},
            {"name", change.key.name},
            {"shown", change.shown},
            {"unit", change.key.kind == RowKind::kEvent ? "count" : "s"},
            {"base", side_json(change.base, unit)},
            {"new", side_json(change.other, unit)},
            {"change", change.difference() / unit},
            {"ratio", is_ratio ? Json(change.ratio()) : Json()},
            {"error", change.error / unit},
            {"p", comparison.has_p ? Json(change.p) : Json()},
            {"differs", comparison.differs(change)},
            {"file", change.file.empty() ? Json() : Json(change.file)},
            {"line", known_or_null(change.line)},
            {"lines", std::move(lines)}};
}

Json findings_json(const std::vector<compare::FindingChange>& list) {
    Json all = Json::array();
    for (const compare::FindingChange& one : list) {
        all.push_back({{"kind", one.kind},
                       {"place", one.place},
                       {"title", one.title},
                       {"base", {{"share", one.base_share}, {"runs", one.base_runs}}},
                       {"new", {{"share", one.other_share}, {"runs", one.other_runs}}}});
    }
    return all;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
    Json changes = Json::array();
    for (const Change& change : comparison.changes) {
        changes.push_back(change_json(comparison, change));
    }
    return {{"base_runs", comparison.base_runs},
            {"new_runs", comparison.other_runs},
            {"has_p", comparison.has_p},
            {"changes", std::move(changes)},
            {"findings",
             {{"new", findings_json(comparison.findings.added)},
              {"changed", findings_json(comparison.findings.changed)},
              {"gone", findings_json(comparison.findings.gone)}}},
            {"warnings", comparison.warnings}};
}

}  // namespace kymo::view
