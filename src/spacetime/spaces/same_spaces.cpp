#include "spacetime/spaces/same_spaces.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kymo::spacetime {
namespace {

// The address with `rank` of the space's bytes below it.
std::uint64_t at_rank(std::span<const ByteRange> ranges, std::uint64_t rank) {
    for (const ByteRange& range : ranges) {
        if (rank < range.end - range.begin) {
            return range.begin + rank;
        }
        rank -= range.end - range.begin;
    }
    return ranges.empty() ? 0 : ranges.back().end;
}

struct Group {
    std::vector<std::size_t> members;
    std::vector<ByteRange> in_all;
    std::vector<ByteRange> in_any;
};

}  // namespace

bool overlaps(const PlacedSpace& a, const PlacedSpace& b, Share share) {
    if (a.image != b.image) {
        return false;
    }
    const std::uint64_t common = common_bytes(a.ranges, b.ranges);
    return is_at_least(common, byte_count(a.ranges) + byte_count(b.ranges) - common, share);
}

std::vector<std::vector<std::size_t>> group_same(std::span<const PlacedSpace> spaces, Share share) {
    // Groups by the middle of their first member: any member must overlap with that one.
    std::multimap<std::pair<std::uint32_t, std::uint64_t>, std::size_t> by_middle;
    std::vector<Group> groups;
    const double theta = static_cast<double>(share.per_million) / 1e6;
    const double low_quantile = theta > 0 ? std::max(0.0, 1.5 - 1 / theta) : 0.0;

    const auto takes = [&](const Group& group, const PlacedSpace& space) {
        if (!overlaps(spaces[group.members.front()], space, share)) {
            return false;
        }
        // A space that overlaps with the intersection and the union overlaps with each member; else each is tested.
        const std::uint64_t common = common_bytes(group.in_all, space.ranges);
        const std::uint64_t any =
            byte_count(group.in_any) + byte_count(space.ranges) - common_bytes(group.in_any, space.ranges);
        return is_at_least(common, any, share) ||
               std::all_of(group.members.begin() + 1, group.members.end(),
                           [&](std::size_t member) { return overlaps(spaces[member], space, share); });
    };

    for (std::size_t i = 0; i < spaces.size(); ++i) {
        const PlacedSpace& space = spaces[i];
        const std::uint64_t bytes = byte_count(space.ranges);
        const auto low_rank = static_cast<std::uint64_t>(low_quantile * static_cast<double>(bytes));
        // A byte and a half to spare: ranks are rounded.
        const bool sweep = low_quantile > 0;  // otherwise the middle may be anywhere
        const std::uint64_t low = sweep ? at_rank(space.ranges, low_rank > 2 ? low_rank - 2 : 0) : 0;
        const std::uint64_t high = sweep ? at_rank(space.ranges, bytes - low_rank + 2) : ~std::uint64_t{0};
        std::size_t best = groups.size();
        const auto end = by_middle.upper_bound({space.image, high});
        for (auto at = by_middle.lower_bound({space.image, low}); at != end; ++at) {
            if (at->second < best && takes(groups[at->second], space)) {
                best = at->second;
            }
        }
        if (best == groups.size()) {
            groups.push_back(
                {{i}, {space.ranges.begin(), space.ranges.end()}, {space.ranges.begin(), space.ranges.end()}});
            by_middle.insert({{space.image, at_rank(space.ranges, bytes / 2)}, best});
            continue;
        }
        Group& group = groups[best];
        group.members.push_back(i);
        group.in_all = intersection(group.in_all, space.ranges);
        group.in_any.insert(group.in_any.end(), space.ranges.begin(), space.ranges.end());
        group.in_any = normalise(std::move(group.in_any));
    }
    std::vector<std::vector<std::size_t>> result;
    for (Group& group : groups) {
        result.push_back(std::move(group.members));
    }
    return result;
}

std::vector<std::size_t> heavy_with_same(const SpaceTable& table, Share share, Share overlap) {
    constexpr std::uint32_t kTenth = 10;
    const std::vector<std::size_t> candidates = table.heavier_than({share.per_million / kTenth});
    std::vector<PlacedSpace> placed;
    placed.reserve(candidates.size());
    for (const std::size_t space : candidates) {
        placed.push_back({table.spaces[space].image, table.spaces[space].space.ranges});
    }
    std::vector<bool> is_heavy(candidates.size());
    for (const std::vector<std::size_t>& members : group_same(placed, overlap)) {
        std::uint64_t weight = 0;
        for (const std::size_t member : members) {
            weight += table.spaces[candidates[member]].weight;
        }
        for (const std::size_t member : members) {
            is_heavy[member] = is_above(weight, table.total_weight, share);
        }
    }
    std::vector<std::size_t> heavy;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (is_heavy[i]) {
            heavy.push_back(candidates[i]);
        }
    }
    return heavy;
}

}  // namespace kymo::spacetime
