#include "view/exports/folded.h"

#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"
#include "view/exports/export.h"

#include <algorithm>
#include <ranges>
#include <vector>

namespace kymo::view {

std::string folded_stacks(const spacetime::CallTree& tree, const Metric& metric) {
    constexpr std::int64_t kNsAMicrosecond = 1000;
    std::vector<std::string> lines;
    std::vector<std::uint32_t> path;
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        const std::int64_t weight = metric.of(tree.self[i]) / (metric.is_time ? kNsAMicrosecond : 1);
        if (weight <= 0) {
            continue;
        }
        path.clear();
        for (spacetime::CallNodeIndex at(i); at != spacetime::CallNodeIndex(0); at = at.in(tree.nodes).parent) {
            path.push_back(at.in(tree.nodes).function);
        }
        std::string line;
        for (const std::uint32_t function : std::views::reverse(path)) {
            line += line.empty() ? "" : ";";
            for (const char c : tree.symbols.functions[function].name) {
                line += c == ';' ? ':' : c == '\n' || c == '\r' ? ' ' : c;
            }
        }
        lines.push_back(line + " " + std::to_string(weight) + "\n");
    }
    std::sort(lines.begin(), lines.end());
    std::string out;
    for (const std::string& line : lines) {
        out += line;
    }
    return out;
}

namespace {

Result<void> write_folded(const recording::Recording& recording, const ExportOptions& options, Output& out) {
    const auto profile = spacetime::load_profile(recording, {.below_creators = options.below_creators});
    if (!profile) {
        return profile.error();
    }
    const auto metric = find_metric(*profile, options.weight);
    if (!metric) {
        return metric.error();
    }
    out.write(folded_stacks(spacetime::make_call_tree(*profile), *metric));
    return {};
}

}  // namespace

extern const Export kFolded{
    .name = "folded",
    .what = "one line a call path, \"main;run;kernel 1234\": flame-graph tools. Weight: microseconds, or a count",
    .has_weight = true,
    .write = write_folded,
};

}  // namespace kymo::view
