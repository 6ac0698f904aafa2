#include "view/folded.h"

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
        for (auto at = static_cast<std::uint32_t>(i); at != 0; at = tree.nodes[at].parent) {
            path.push_back(tree.nodes[at].function);
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

}  // namespace kymo::view
