#include "view/comparison/comparison.h"
#include "view/json_text.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

// From comparison_shell.S.
extern "C" const char kymo_diff_shell_begin[];
extern "C" const char kymo_diff_shell_end[];

namespace kymo::view {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDataMark = "<!--KYMO-DATA-->";

Json rows_json(const compare::Timeline& timeline) {
    Json rows = Json::array();
    for (const auto& row : timeline.ns) {
        Json bins = Json::array();
        for (const double ns : row) {
            bins.push_back(std::llround(ns));
        }
        rows.push_back(std::move(bins));
    }
    return {{"functions", timeline.functions}, {"ns", std::move(rows)}};
}

Json run_json(const PageRun& run, std::size_t runs, const std::string& side) {
    const RunTimeline& timeline = run.timeline;
    return {{"side", side},
            {"runs", runs},
            {"run", run.name},
            {"duration_ns", std::llround(timeline.itself.duration_ns)},
            {"bins", timeline.itself.bins},
            {"itself", rows_json(timeline.itself)},
            {"with_calls", rows_json(timeline.with_calls)}};
}

// Call paths as a tree: [parent, name, ns in the base, ns in the new runs, error of the
// difference]; parents first, -1 at the top.
Json paths_json(const std::vector<compare::PathTime>& paths, Json& names) {
    std::unordered_map<std::string, std::size_t> number;
    std::unordered_map<std::string, std::size_t> name_number;
    Json rows = Json::array();
    for (const compare::PathTime& path : paths) {
        const std::size_t end = path.name.rfind(compare::kCalls);
        const auto parent = end == std::string::npos ? number.end() : number.find(path.name.substr(0, end));
        if (end != std::string::npos && parent == number.end()) {
            continue;  // its caller has less than what is kept: then it has, too
        }
        const std::string last =
            end == std::string::npos ? path.name : path.name.substr(end + compare::kCalls.size());
        const auto [entry, is_new] =
            name_number.try_emplace(compare::shown_name({compare::RowKind::kFunction, last}), names.size());
        if (is_new) {
            names.push_back(entry->first);
        }
        rows.push_back({parent == number.end() ? -1 : static_cast<std::int64_t>(parent->second), entry->second,
                        std::llround(path.base_ns), std::llround(path.other_ns), std::llround(path.error_ns)});
        number.emplace(path.name, rows.size() - 1);
    }
    return rows;
}

Json clocks_json(const compare::Alignment& clocks) {
    Json points = Json::array();
    for (const compare::ClockPoint& point : clocks.points) {
        points.push_back({std::llround(point.base_ns), std::llround(point.other_ns)});
    }
    return {{"points", std::move(points)}, {"distance", clocks.distance}, {"is_matched", clocks.is_matched}};
}

// Inside an element of the page: nothing in it may end the element.
std::string without_markup(std::string text) {
    std::string safe;
    safe.reserve(text.size());
    for (const char letter : text) {
        safe += letter == '<' ? "\\u003c" : std::string(1, letter);
    }
    return safe;
}

}  // namespace

std::string_view comparison_shell() {
    return {kymo_diff_shell_begin, static_cast<std::size_t>(kymo_diff_shell_end - kymo_diff_shell_begin)};
}

std::string comparison_page(const compare::Comparison& comparison, const ComparisonOptions& options,
                            const PageRun& base, const PageRun& other, std::string_view shell) {
    Json names = Json::array();
    Json paths = paths_json(comparison.paths, names);
    const Json data = {{"base", run_json(base, comparison.base_runs, options.base)},
                       {"new", run_json(other, comparison.other_runs, options.other)},
                       {"clocks", clocks_json(compare::align(base.timeline.with_calls, other.timeline.with_calls))},
                       {"names", std::move(names)},
                       {"paths", std::move(paths)},
                       {"comparison", comparison_json(comparison)}};
    const std::size_t mark = shell.find(kDataMark);
    std::string page(shell.substr(0, mark));
    page += "<script type=\"application/json\" id=\"kymo-data\">";
    page += without_markup(json_text(data, JsonForm::kLine));
    page += "</script>";
    if (mark != std::string_view::npos) {
        page += shell.substr(mark + kDataMark.size());
    }
    return page;
}

}  // namespace kymo::view
