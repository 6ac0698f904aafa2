#include "spacetime/exact/chosen_functions.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kymo::spacetime {

NodeIndex function_around(const Evidence& evidence, NodeIndex node) {
    while (node != kNone && node.in(evidence.nodes).kind != SpaceKind::kFunction) {
        node = node.in(evidence.nodes).parent;
    }
    return node;
}

std::vector<ChosenFunction> chosen_functions(const Evidence& evidence, std::size_t most) {
    std::map<std::pair<std::string, std::uint64_t>, ChosenFunction> found;
    for (const NodeIndex node : indices(evidence.nodes)) {
        const NodeIndex function = function_around(evidence, node);
        if (function == kNone) {
            continue;
        }
        const SpaceNode& around = function.in(evidence.nodes);
        if (around.place.build_id.empty() || around.place.ranges.empty()) {
            continue;
        }
        ChosenFunction& chosen = found[{around.place.build_id, around.place.ranges.front().begin}];
        if (chosen.place.function.empty()) {
            chosen.place = around.place;
        }
        chosen.ns = std::max(chosen.ns, around.total.wall());
    }
    std::vector<ChosenFunction> result;
    for (auto& [where, chosen] : found) {
        result.push_back(std::move(chosen));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const ChosenFunction& a, const ChosenFunction& b) { return a.ns > b.ns; });
    result.resize(std::min(result.size(), most));
    return result;
}

}  // namespace kymo::spacetime
