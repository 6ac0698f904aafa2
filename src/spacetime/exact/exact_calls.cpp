#include "spacetime/exact/exact_calls.h"

#include <algorithm>
#include <cmath>

namespace kymo::spacetime {

double SlowOccurrence::processor_share() const {
    if (!is_counted || duration == 0) {
        return -1;
    }
    const std::uint64_t inside = processor - std::min(processor, early);
    return std::min(1.0, static_cast<double>(inside) / static_cast<double>(duration));
}

std::uint64_t ExactFunction::quantile(double share) const {
    const std::uint64_t all = timed();
    if (all == 0) {
        return 0;
    }
    const auto not_exceeding = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all)));
    const std::uint64_t rank = std::clamp<std::uint64_t>(not_exceeding, 1, all);  // from the shortest, 1
    if (all - rank < slowest.size()) {
        return slowest[all - rank].duration;
    }
    std::uint64_t before = 0;
    for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
        if (before + counts[bucket] >= rank) {
            const std::uint64_t begin = bucket_begin(bucket);
            const std::uint64_t width = bucket + 1 < counts.size() ? bucket_begin(bucket + 1) - begin : 0;
            const double part = (static_cast<double>(rank - before) - 0.5) / static_cast<double>(counts[bucket]);
            return std::min(begin + static_cast<std::uint64_t>(part * static_cast<double>(width)), longest());
        }
        before += counts[bucket];
    }
    return longest();
}

bool ExactFunction::holds(const Place& place) const {
    return place.build_id == build_id &&
           std::any_of(place.ranges.begin(), place.ranges.end(),
                       [&](const auto& range) { return range.begin <= offset && offset < range.end; });
}

const ExactFunction* ExactCalls::of(const SpaceNode& node) const {
    if (node.kind != SpaceKind::kFunction || node.place.build_id.empty()) {
        return nullptr;
    }
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const ExactFunction& function) {
        return function.refused.empty() && function.holds(node.place);
    });
    return found == functions.end() ? nullptr : &*found;
}

void set_exact_calls(const ExactCalls& exact, Evidence* evidence) {
    for (const ExactFunction& function : exact.functions) {
        SpaceNode* only = nullptr;
        std::size_t nodes = 0;
        for (SpaceNode& node : evidence->nodes) {
            if (exact.of(node) == &function) {
                only = &node;
                ++nodes;
            }
        }
        if (nodes == 1) {
            only->exact_calls = function.calls;
        }
    }
}

}  // namespace kymo::spacetime
