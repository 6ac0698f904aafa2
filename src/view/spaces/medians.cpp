#include "view/spaces/medians.h"

#include <algorithm>
#include <vector>

namespace kymo::view {

using namespace spacetime;

namespace {

// As Evidence computes it for gaps.
std::uint64_t median_by_octave(const DurationSums& sums) {
    std::uint64_t seen = 0;
    for (std::size_t octave = 0; octave < sums.by_octave.size(); ++octave) {
        seen += sums.by_octave[octave];
        if (sums.by_octave[octave] != 0 && 2 * seen >= sums.count) {
            return std::min((std::uint64_t{3} << octave) / 2, sums.longest);
        }
    }
    return 0;
}

template <typename Keep>
std::uint64_t median_of(const OccurrenceTable& rows, const DurationSums& sums, Keep&& keep) {
    std::vector<std::uint64_t> durations;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (keep(row)) {
            durations.push_back(rows.duration(row));
        }
    }
    if (durations.empty()) {
        return median_by_octave(sums);
    }
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    return *middle;
}

}  // namespace

std::uint64_t median_duration(const SpaceNode& node) {
    return median_of(node.rows, node.durations, [](std::size_t) { return true; });
}

std::uint64_t median_duration(const SpaceNode& node, const CodePattern& pattern) {
    const auto fits = [](std::uint32_t wanted, std::uint32_t neighbour) {
        return wanted == kAnyNeighbour || wanted == neighbour;
    };
    return median_of(node.rows, pattern.durations, [&](std::size_t row) {
        return fits(pattern.before, node.rows.before[row]) && fits(pattern.after, node.rows.after[row]);
    });
}

}  // namespace kymo::view
