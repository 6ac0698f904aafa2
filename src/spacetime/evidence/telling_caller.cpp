#include "spacetime/evidence/telling_caller.h"

#include <algorithm>
#include <vector>

namespace kymo::spacetime {
namespace {

// Counted from the innermost; empty: the path is shorter.
std::string_view caller(const SpaceNode& node, std::size_t steps) {
    return steps < node.path.size() ? std::string_view(node.path[node.path.size() - 1 - steps]) : std::string_view();
}

}  // namespace

std::string telling_caller(const Evidence& evidence, NodeIndex node) {
    const SpaceNode& own = node.in(evidence.nodes);
    std::vector<const SpaceNode*> others;
    for (const NodeIndex each : indices(evidence.nodes)) {
        const SpaceNode& other = each.in(evidence.nodes);
        if (each != node && other.kind == own.kind && other.place.function == own.place.function &&
            other.mark == own.mark) {
            others.push_back(&other);
        }
    }
    for (std::size_t steps = 1; !others.empty() && steps < own.path.size(); ++steps) {
        const std::string_view name = caller(own, steps);
        if (std::none_of(others.begin(), others.end(),
                         [&](const SpaceNode* other) { return caller(*other, steps) == name; })) {
            return std::string(name);
        }
    }
    return {};
}

}  // namespace kymo::spacetime
