#include "spacetime/look/kept_code.h"

#include <algorithm>
#include <map>

namespace kymo::spacetime {

std::vector<KeptCodeOfImage> kept_code(const Evidence& evidence) {
    std::vector<bool> is_kept(evidence.nodes.size());
    for (const SpaceIntervals& interval : evidence.intervals) {
        is_kept[interval.node] = true;
    }
    for (const CodePattern& pattern : evidence.patterns) {
        const bool has_neighbour = pattern.before < evidence.nodes.size() || pattern.after < evidence.nodes.size();
        is_kept[pattern.node] = is_kept[pattern.node] || has_neighbour;
    }
    std::map<std::string, std::vector<ByteRange>> by_image;
    const auto add = [&](const Place& place) {
        if (!place.build_id.empty() && !place.ranges.empty()) {
            std::vector<ByteRange>& ranges = by_image[place.build_id];
            ranges.insert(ranges.end(), place.ranges.begin(), place.ranges.end());
        }
    };
    for (const HeavySpace& space : evidence.spaces) {
        add(space.place);
    }
    for (std::size_t i = 0; i < evidence.nodes.size(); ++i) {
        if (is_kept[i]) {
            add(evidence.nodes[i].place);
        }
    }
    std::vector<KeptCodeOfImage> result;
    for (auto& [build_id, ranges] : by_image) {
        result.push_back({build_id, normalise(std::move(ranges))});
    }
    return result;
}

}  // namespace kymo::spacetime
